/** Rules about what a server asks of a client (roots, sampling, elicitation), and about tasks. */

import { defineRules, hardening, limit, must, schema } from './define-rules.js';

export const CLIENT_FEATURE_RULES = defineRules({
  'roots.uri': must(
    'client/roots#root',
    'A root is a file: URI.',
    'A root must be an absolute file:// URI of at most {limit} characters.',
  ),
  'roots.duplicate': hardening('A root is listed once.', 'The roots list one URI twice.'),
  'sampling.messages': schema(
    'schema#SamplingMessage',
    'Messages are a non-empty list of role and content.',
    'The messages must be a list of 1 to {limit} objects with a role of user or assistant and content.',
  ),
  'sampling.max_tokens': schema(
    'schema#CreateMessageRequestParams',
    'maxTokens is a positive integer.',
    'The maxTokens must be a positive integer.',
  ),
  'sampling.content': schema(
    'schema#SamplingMessageContentBlock',
    'A sampling content block is text, image, audio, tool_use or tool_result, with its members.',
    'A sampling content block must be text, image, audio, tool_use or tool_result: {problem}.',
  ),
  'sampling.tool_results_only': must(
    'client/sampling#tool-result-messages',
    'A user message with tool results holds nothing else.',
    'A message with a tool_result must hold only tool results, with the role user.',
  ),
  'sampling.result_content': limit(
    'The judged sampling result is one text content.',
    'This profile judges only a sampling result that is one text content.',
  ),
  'sampling.result_size': hardening(
    'The text of a sampling result has at most 64 KiB.',
    'The sampling text exceeds the size limit of {limit} bytes.',
  ),
  'sampling.result_role': schema(
    'schema#CreateMessageResult',
    'A sampling result has the role user or assistant.',
    'The role must be user or assistant.',
  ),
  'elicitation.mode': schema(
    'client/elicitation#elicitation-requests',
    'The mode is form or url.',
    'The elicitation mode must be form or url.',
  ),
  'elicitation.schema': schema(
    'client/elicitation#requested-schema',
    'A requested schema is a flat object of string, number, integer, boolean and enum properties.',
    'The requestedSchema must be a flat object of primitive properties: {problem}.',
  ),
  'elicitation.secret_field': must(
    'client/elicitation#user-interaction-model',
    'A form never asks for a password, key, token or card number.',
    'A form elicitation must not request secrets: {pointer}.',
  ),
  'elicitation.url': hardening(
    'The url is an absolute https URI.',
    'The url must be an absolute HTTPS URI of at most {limit} characters.',
  ),
  'elicitation.id': schema(
    'client/elicitation#url-mode-elicitation-requests',
    'An elicitationId is a non-empty string of at most 1,024 characters.',
    'The elicitationId must be a non-empty string of at most {limit} characters.',
  ),
  'elicitation.id_in_use': schema(
    'schema#ElicitRequestURLParams',
    'An elicitationId is unique within the server.',
    'The elicitationId is in use by another elicitation.',
  ),
  'elicitation.unknown_id': must(
    'client/elicitation#completion-notifications-for-url-mode-elicitation',
    'A completion names the elicitationId of an earlier URL mode elicitation.',
    'The elicitationId belongs to no URL mode elicitation of this session.',
  ),
  'elicitation.action': schema(
    'client/elicitation#response-actions',
    'The action is accept, decline or cancel.',
    'The action must be one of accept, decline, cancel.',
  ),
  'elicitation.content_not_allowed': schema(
    'schema#ElicitResult',
    'Content comes only with an accepted form.',
    'The content is only allowed in an accepted form elicitation, never in URL mode.',
  ),
  'elicitation.content_missing': hardening(
    'An accepted form has content.',
    'An accepted form elicitation must have content.',
  ),
  'elicitation.required_error': must(
    'client/elicitation#url-elicitation-required-error',
    'A URLElicitationRequiredError (-32042) lists URL mode elicitations.',
    'The data of error -32042 must list URL mode elicitations with url, message and elicitationId.',
  ),
  'tasks.not_augmentable': schema(
    'schema#TaskAugmentedRequestParams',
    'Only tools/call, sampling/createMessage and elicitation/create can be task-augmented.',
    'The method {method} cannot be task-augmented.',
  ),
  'tasks.metadata': schema(
    'schema#TaskMetadata',
    'Task metadata is an object with an optional ttl in milliseconds.',
    'The task must be an object with at most a ttl, a whole number of milliseconds.',
  ),
  'tasks.create_result_unexpected': must(
    'basic/utilities/tasks#result-retrieval',
    'A CreateTaskResult answers only a task-augmented request.',
    'A CreateTaskResult is no ordinary result: the request was not task-augmented.',
  ),
  'tasks.create_result_required': must(
    'basic/utilities/tasks#result-retrieval',
    'A task-augmented request is answered with a CreateTaskResult.',
    'A task-augmented request must be answered with a CreateTaskResult that has a task.',
  ),
  'tasks.initial_status': must(
    'basic/utilities/tasks#task-status-lifecycle',
    'A task begins in the status working.',
    'A new task must begin in the status working.',
  ),
  'tasks.task_id': must(
    'basic/utilities/tasks#task-id-requirements',
    'A taskId is a non-empty string of at most 1,024 characters.',
    'taskId required: it must be a non-empty string of at most {limit} characters.',
  ),
  'tasks.duplicate_id': must(
    'basic/utilities/tasks#task-id-requirements',
    'Task ids are unique.',
    'The taskId is used by another task.',
  ),
  'tasks.status': schema(
    'basic/utilities/tasks#task-status',
    'A status is working, input_required, completed, failed or cancelled.',
    'The task status must be one of working, input_required, completed, failed, cancelled.',
  ),
  'tasks.terminal_status': must(
    'basic/utilities/tasks#task-status-lifecycle',
    'A task in a terminal status keeps it.',
    'The task is in a terminal status and must not change it.',
  ),
  'tasks.timestamp': must(
    'basic/utilities/tasks#ttl-and-resource-management',
    'createdAt and lastUpdatedAt are RFC 3339 timestamps.',
    'The {member} must be an RFC 3339 timestamp.',
  ),
  'tasks.ttl': must(
    'basic/utilities/tasks#ttl-and-resource-management',
    'A task has a ttl: a number of milliseconds or null.',
    'ttl required: it must be a non-negative number of milliseconds or null.',
  ),
  'tasks.poll_interval': schema(
    'schema#Task',
    'A pollInterval is a number of milliseconds.',
    'The pollInterval must be a non-negative number of milliseconds.',
  ),
});
