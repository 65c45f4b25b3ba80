/** Rules about tools: the schema dialect this profile executes, values against it, descriptors, calls and results. */

import { defineRules, hardening, limit, must, schema, should } from './define-rules.js';

export const TOOL_RULES = defineRules({
  'schema.unsupported_keyword': limit(
    'A schema uses only keywords that this profile executes.',
    'The schema has unsupported schema keywords: {keyword}.',
  ),
  'schema.shape': must(
    'basic/index#schema-validation',
    'A schema keyword has a value of its own type.',
    'The schema is not valid: {keyword} must be {expected}.',
  ),
  'schema.root_type': schema(
    'schema#Tool',
    'The root of a tool schema has type object.',
    'The root schema must have type object.',
  ),
  'schema.depth': hardening('A schema nests at most 16 deep.', 'The schema depth exceeds {limit}.'),
  'schema.too_many': hardening(
    'A schema has at most 256 properties, required names and enum items.',
    'The schema keyword {keyword} exceeds {limit} entries.',
  ),
  'schema.required_unknown': hardening(
    'A required name is one of the properties.',
    'The schema requires an unknown property: {member}.',
  ),
  'schema.enum_type': hardening(
    'Every enum item has the declared type, once.',
    'An enum item is incompatible with declared type {expected}, or repeated.',
  ),
  'schema.bounds': hardening(
    'A lower bound is not above its upper bound, and only on a type that it applies to.',
    'The schema bound {keyword} contradicts another bound or the declared type.',
  ),
  'value.type': schema(
    'server/tools#tool',
    'A value has the declared type.',
    '{pointer} must be {expected}, by the schema of {what}.',
  ),
  'value.required': schema(
    'server/tools#tool',
    'A required property is present.',
    'Missing required value: the schema of {what} requires {member} at {pointer}.',
  ),
  'value.additional': schema(
    'server/tools#tool',
    'With additionalProperties false only declared properties are there.',
    'Unknown values: the schema of {what} does not declare {member} at {pointer}.',
  ),
  'value.enum': schema(
    'server/tools#tool',
    'A value is one of the enum items.',
    '{pointer} must be one of the values that the schema of {what} lists.',
  ),
  'value.length': schema(
    'server/tools#tool',
    'A string has a length within minLength and maxLength.',
    '{pointer} is {side} the {keyword} of {bound} characters, by the schema of {what}.',
  ),
  'value.items': schema(
    'server/tools#tool',
    'An array has a number of items within minItems and maxItems.',
    '{pointer} is {side} the {keyword} of {bound} items, by the schema of {what}.',
  ),
  'value.range': schema(
    'server/tools#tool',
    'A number is within minimum and maximum, compared exactly also beyond 2^53.',
    '{pointer} is {side} {keyword} {bound}, by the schema of {what}.',
  ),
  'value.too_large': hardening(
    'An array has at most 1,024 items, an object 256 members, a string 100,000 characters.',
    '{pointer} exceeds the limit of {limit} {unit}.',
  ),
  'tools.name': should(
    'server/tools#tool-names',
    'A tool name is 1 to 128 of the characters A-Z a-z 0-9 _ - and dot.',
    'The tool name must be 1 to 128 of the characters A-Z, a-z, 0-9, _, - and dot.',
  ),
  'tools.duplicate_name': should(
    'server/tools#tool-names',
    'Tool names are unique.',
    'The tool descriptor repeats a tool name.',
  ),
  'tools.task_support_value': schema(
    'schema#ToolExecution',
    'taskSupport is forbidden, optional or required.',
    'The tool descriptor has a taskSupport other than forbidden, optional or required.',
  ),
  'tools.unknown': hardening(
    'A called tool is one that the server has listed.',
    'The call names an unknown tool.',
  ),
  'tools.structured_content_missing': must(
    'server/tools#output-schema',
    'A success of a tool with an outputSchema has structuredContent.',
    'A successful result of a tool with an outputSchema must have structuredContent.',
  ),
  'tools.content': schema(
    'server/tools#tool-result',
    'A content block is text, image, audio, resource_link or resource, with its members.',
    'A content block must be text, image, audio, resource_link or resource: {problem}.',
  ),
  'tools.task_forbidden': must(
    'basic/utilities/tasks#tool-level-negotiation',
    'A tool whose taskSupport is forbidden (the default) is not called as a task.',
    'The tool forbids task augmentation.',
  ),
  'tools.task_required': must(
    'basic/utilities/tasks#tool-level-negotiation',
    'A tool whose taskSupport is required is only called as a task.',
    'The tool requires task augmentation.',
  ),
});
