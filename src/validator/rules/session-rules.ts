/**
 * Rules about the conversation: the initialize handshake, capabilities both ways, directions, methods this profile
 * knows, and the notifications that belong to no other family.
 */

import { defineRules, hardening, limit, must, schema, should } from './define-rules.js';

export const SESSION_RULES = defineRules({
  'lifecycle.initialize_first': must(
    'basic/lifecycle#initialization',
    'The initialize request is the first interaction.',
    'The initialize request must be the first interaction, not {method}.',
  ),
  'lifecycle.initialize_direction': must(
    'basic/lifecycle#initialization',
    'Only the client initializes.',
    'The client must initiate the handshake: initialize came from the server.',
  ),
  'lifecycle.initialize_twice': hardening(
    'A session is initialized once.',
    'A session must not be initialized a second time.',
  ),
  'lifecycle.not_ready': should(
    'basic/lifecycle#initialization',
    'Until the handshake is complete nothing but ping (and log messages of the server) is sent.',
    'In the state {state}, {method} must wait for the handshake to complete.',
  ),
  'lifecycle.initialized_direction': must(
    'basic/lifecycle#initialization',
    'Only the client sends notifications/initialized.',
    'The notification notifications/initialized must come from client, not from the server.',
  ),
  'lifecycle.initialized_order': must(
    'basic/lifecycle#initialization',
    'notifications/initialized follows the successful initialize response, once.',
    'In the state {state}, notifications/initialized is out of order.',
  ),
  'lifecycle.protocol_version_shape': schema(
    'schema#InitializeRequest',
    'A protocol version is a non-empty string of at most 64 characters.',
    'The protocolVersion must be a non-empty string of at most {limit} characters.',
  ),
  'lifecycle.protocol_version_proposed': limit(
    'This profile judges conversations whose client proposes 2025-11-25.',
    'The client proposed an unsupported client protocol version; this profile judges {supported} only.',
  ),
  'lifecycle.protocol_version': hardening(
    'The server answers with 2025-11-25, the only revision this profile supports.',
    'The server selected a protocolVersion that this profile does not support; it judges {supported} only.',
  ),
  'lifecycle.info_shape': schema(
    'schema#Implementation',
    'clientInfo and serverInfo have a non-empty name and version and only known members.',
    'The {what} must be an object with a non-empty name and version, and only members that the specification names.',
  ),
  'lifecycle.capabilities_shape': schema(
    'basic/lifecycle#capability-negotiation',
    'Capabilities are objects, their listChanged and subscribe are booleans.',
    'In the capabilities, {capability} must be {expected}.',
  ),
  'capability.undeclared': must(
    'basic/lifecycle#operation',
    'Only capabilities that the other side declared are used.',
    'The {peer} did not declare capability: {capability}.',
  ),
  'method.unknown': hardening(
    'A request method is one that revision 2025-11-25 defines.',
    'The method {method} is an unsupported method: revision 2025-11-25 defines no such request.',
  ),
  'method.wrong_direction': schema(
    'schema#ClientRequest',
    'A request is sent by the side that may send it.',
    'The method {method} was sent in the wrong direction: only the {peer} may send it.',
  ),
  'method.not_implemented': limit(
    'This profile does not judge prompts/*, logging/setLevel, completion/complete, tasks/get, tasks/result, tasks/cancel.',
    'The method {method} is not implemented in this profile.',
  ),
  'notification.unknown': hardening(
    'A notification is one that revision 2025-11-25 defines.',
    'The notification {method} is an unsupported notification: revision 2025-11-25 defines no such notification.',
  ),
  'notification.wrong_direction': schema(
    'schema#ServerNotification',
    'A notification is sent by the side that may send it.',
    'The notification {method} was sent in the wrong direction: only the {peer} may send it.',
  ),
  'progress.token_type': must(
    'basic/utilities/progress#progress-flow',
    'A progress token is a string of at most 1,024 characters or an integer.',
    'The progressToken must be a string of at most 1,024 characters or an integer.',
  ),
  'progress.token_in_use': must(
    'basic/utilities/progress#progress-flow',
    'A progress token is unique among the active requests of its sender.',
    'The progressToken is in use by another active request of the {peer}.',
  ),
  'progress.token_unknown': must(
    'basic/utilities/progress#behavior-requirements',
    'A progress notification names the token of an active request of the other side.',
    'The progressToken is unknown: it belongs to no active request of the {peer}.',
  ),
  'progress.not_rising': must(
    'basic/utilities/progress#progress-flow',
    'The progress value rises with each notification.',
    'The progress value must increase with each notification.',
  ),
  'cancelled.initialize': must(
    'basic/utilities/cancellation#behavior-requirements',
    'The initialize request is never cancelled.',
    'The initialize request must not be cancelled.',
  ),
  'cancelled.unknown_request': must(
    'basic/utilities/cancellation#behavior-requirements',
    'A cancellation names a request that its sender has sent.',
    'The requestId belongs to no request that the {peer} has sent.',
  ),
  'cancelled.task_request': must(
    'basic/utilities/cancellation#behavior-requirements',
    'A task-augmented request is cancelled with tasks/cancel.',
    'A task-augmented request must be cancelled with tasks/cancel, not with notifications/cancelled.',
  ),
  'logging.level': schema(
    'server/utilities/logging#log-levels',
    'A log message has one of the eight RFC 5424 levels.',
    'The level must be one of debug, info, notice, warning, error, critical, alert, emergency.',
  ),
});
