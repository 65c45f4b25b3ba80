/**
 * Rules about the identity snapshot that an HTTP layer hands over next to a message. All of them are this profile's:
 * the specification leaves authorization of single resources to the server.
 */

import { defineRules, hardening, must } from './define-rules.js';

export const AUTHORIZATION_RULES = defineRules({
  'authorization.context_missing': hardening(
    'With a policy, every resource operation and update carries a transport_context.',
    'The method {method} needs a transport_context: roots or session state never replace authorization.',
  ),
  'authorization.context_not_allowed': hardening(
    'A transport_context belongs on resources/* requests and notifications/resources/updated only.',
    'A transport_context is not allowed on this message.',
  ),
  'authorization.context_shape': hardening(
    'A transport_context is {subject, tenant, scopes, authorization_revision} plus overrides of the defaults.',
    'The transport_context {problem}.',
  ),
  'authorization.transport': hardening(
    'The transport is streamable_http, the one whose authorization is modelled.',
    'The transport must be streamable_http.',
  ),
  'authorization.token_inactive': must(
    'basic/authorization#token-handling',
    'The access token is active.',
    'A resource operation needs an active access token.',
  ),
  'authorization.audience': must(
    'basic/authorization#token-handling',
    'The token was issued for this protected resource.',
    'The token audience is not this protected resource.',
  ),
  'authorization.resource': must(
    'basic/authorization#resource-parameter-implementation',
    'The RFC 8707 resource of the token is this protected resource.',
    'The resource indicator is not this protected resource.',
  ),
  'authorization.stale_revision': hardening(
    'The snapshot was taken under the active authorization revision.',
    'The authorization revision of the snapshot is not the active one.',
  ),
  'authorization.unknown_revision': hardening(
    'A control event activates a revision that the policy has.',
    'The control event names an unknown authorization revision.',
  ),
  'authorization.unknown_subject': hardening(
    'The subject is one that the active revision knows.',
    'The subject is unknown to the active policy, so there is no principal binding.',
  ),
  'authorization.subject_disabled': hardening(
    'The subject is enabled in the active revision.',
    'The principal is revoked in the active revision.',
  ),
  'authorization.tenant_binding': hardening(
    'The tenant is the one bound to the subject.',
    'The tenant breaks the principal binding: the subject belongs to another tenant.',
  ),
  'authorization.scope_exceeds_grant': hardening(
    'The claimed scopes are within the granted ones.',
    'The claimed scopes exceed the granted scopes of the subject.',
  ),
  'authorization.scope_missing': hardening(
    'The claimed scopes contain the one that the operation needs.',
    'The operation needs the scope {scope}.',
  ),
});
