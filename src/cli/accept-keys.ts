/** `accept init`, `keygen`, `verify` and `schema`: the parts around a run that need no server. */
import { readFileSync, writeFileSync } from 'node:fs';
import { CONFIG_TEMPLATE } from '../acceptance/config/template.js';
import { RECORD_SCHEMA } from '../acceptance/record/schema.js';
import { generateKeys, readKey } from '../acceptance/record/keys.js';
import { verifyRecordFile, type VerifyProblem } from '../acceptance/record/sign.js';
import type { CliIo } from './cli-io.js';
import type { ExitCode } from './exit-code.js';

const VERIFY_TEXT = {
  'not-utf-8': 'the file is not UTF-8',
  'not-canonical': 'the file is not in canonical form: it was changed, or is no record',
  'not-a-record': 'the file is not a record of a known format',
  unsigned: 'the record is not signed: the run was incomplete',
  'wrong-algorithm': 'the signature is not EdDSA',
  'other-key': 'the record was signed with another key',
  'bad-signature': 'the signature does not fit the record',
  'unusable-key': 'the key cannot be used',
} satisfies Record<VerifyProblem, string>;

/** Writes a commented configuration; never over an existing file. */
export async function runAcceptInit({ file }: { readonly file: string }, io: CliIo): Promise<ExitCode> {
  if (!writeNew(file, CONFIG_TEMPLATE, 0o644, io)) return 2;
  io.stdout.write(`${file} written; fill it in, then: nest-mcp-boundary accept --config ${file}\n`);
  return 0;
}

/** Makes a key pair; never over existing files. */
export async function runAcceptKeygen(
  args: { readonly private: string; readonly public: string },
  io: CliIo,
): Promise<ExitCode> {
  const { privateJwk, publicJwk } = await generateKeys();
  if (!writeNew(args.private, `${JSON.stringify(privateJwk)}\n`, 0o600, io)) return 2;
  if (!writeNew(args.public, `${JSON.stringify(publicJwk)}\n`, 0o644, io)) return 2;
  io.stdout.write(
    `private key: ${args.private} (keep it)\npublic key:  ${args.public}\nkey id:      ${publicJwk.kid ?? ''}\n`,
  );
  return 0;
}

/** Verifies a record file and says what it verified. */
export async function runAcceptVerify(
  args: { readonly record: string; readonly key: string },
  io: CliIo,
): Promise<ExitCode> {
  let bytes: Buffer;
  let keyText: string;
  try {
    bytes = readFileSync(args.record);
    keyText = readFileSync(args.key, 'utf8');
  } catch (error) {
    io.stderr.write(`${(error as Error).message}\n`);
    return 2;
  }
  const key = readKey(keyText, 'public');
  if (key === undefined) {
    io.stderr.write(`${args.key}: not an Ed25519 key as JWK\n`);
    return 2;
  }
  const verified = await verifyRecordFile(bytes, key);
  if (!verified.ok) {
    io.stdout.write(`NOT VERIFIED: ${VERIFY_TEXT[verified.problem]}\n`);
    return 1;
  }
  const { record, keyId } = verified;
  const passed = record.checks.filter(({ status }) => status === 'pass').length;
  io.stdout.write(
    `VERIFIED: every byte of ${args.record}\n` +
      `  signed by  ${keyId} (EdDSA)\n` +
      `  verdict    ${record.verdict.name}, ${passed} of ${record.checks.length} checks pass\n` +
      `  subject    ${record.environment} ${record.release}, ${record.resource}, MCP ${record.revision}\n` +
      `  run        ${record.run.id}, ${record.run.startedAt} to ${record.run.finishedAt}\n`,
  );
  return 0;
}

/** Prints the schema of a record file. */
export async function runAcceptSchema(io: CliIo): Promise<ExitCode> {
  io.stdout.write(`${JSON.stringify(RECORD_SCHEMA, null, 2)}\n`);
  return 0;
}

function writeNew(file: string, content: string, mode: number, io: CliIo): boolean {
  try {
    writeFileSync(file, content, { flag: 'wx', mode });
    return true;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    io.stderr.write(code === 'EEXIST' ? `${file} exists already; nothing was changed\n` : `${message}\n`);
    return false;
  }
}
