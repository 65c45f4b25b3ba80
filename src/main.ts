#!/usr/bin/env node
import 'reflect-metadata';
import { serve } from './serve.js';

process.exitCode = await serve(process.env, process.stderr);
