/*
 * The commented accept.yaml that `accept init` writes: every setting, what it is for, and what its absence costs.
 */

/** Text of a new accept.yaml. */
export const CONFIG_TEMPLATE = `# Acceptance of a reverse proxy or gateway in front of an MCP server of revision 2026-07-28.
# Run it with: nest-mcp-boundary accept --config accept.yaml --out record.json --html record.html
# A check whose role or setting is left out FAILS as not testable; it is never skipped.

environment: staging          # one signed record per environment ...
release: "2026.11.0"          # ... and release

target: https://gateway.example.com/mcp        # what clients use; all checks go through here
resource: https://gateway.example.com/mcp      # canonical resource URI, as tokens and metadata name it
authorizationServer: https://login.example.com # as the metadata document names it; never contacted
directUpstream: http://mcp.internal.example.com:3000/mcp # must refuse us; for bypass.direct
revisions: ["2026-07-28"]     # accepted revisions: the server may name no other as supported
identity: alice               # what the witness reports for the valid token

# Secrets, each as one of: literal, env (name of a variable), file (path, relative to this file).
# Only hosts that this file names are ever contacted; no token is ever written anywhere.
tokens:
  valid: { env: ACCEPT_TOKEN_VALID }           # right audience, all scopes that the tools need
  expired: { env: ACCEPT_TOKEN_EXPIRED }       # right audience, past its life
  neighbour: { env: ACCEPT_TOKEN_NEIGHBOUR }   # issued for another server of yours
  downstream: { env: ACCEPT_TOKEN_DOWNSTREAM } # issued for an API behind this server
  narrow: { env: ACCEPT_TOKEN_NARROW }         # right audience, lacks the scope of the tools

# Tools by role. Each takes a nonce in the argument named below, so that the witness can tell calls apart.
tools:
  nonceArgument: nonce
  counting: count                              # allowed; does nothing but count
  forbidden: forbidden_count                   # its twin that the gateway must not let through
  progress: { name: progress, arguments: { intervalMs: 200, events: 10 }, intervalMs: 200, events: 10 }
  long: { name: progress, arguments: { intervalMs: 0, events: 1600, paddingBytes: 65536 }, megabytes: 100 }
  slow: { name: slow, arguments: { durationMs: 60000 } }   # runs that long unless it is cancelled
  headerParameter: { name: count_in_region, argument: region, header: Region } # x-mcp-header: Region
  failing: { name: no_such_tool, code: -32602 }            # answered with a JSON-RPC error on HTTP 200

# The witness reports for a nonce what really ran. GET <url>?nonce=<nonce> answers
# {"runs": 1, "executions": [{"tool": "count", "identity": "alice", "cancelled": false, "outcome": "completed"}],
#  "answers": [{"status": 200, "contentType": "application/json", "bodySha256": "<hex>"}]}
# outcome: running, completed or cancelled. answers (optional): what the server itself sent for requests that
# carried X-Acceptance-Nonce: <nonce>; with them errors are compared byte for byte.
# Instead of url: "tool: witness" calls a tool that answers the same document as text.
witness:
  url: https://witness.internal.example.com/witness
  token: { env: ACCEPT_WITNESS_TOKEN }

logs: [/var/log/nginx/access.log]              # must grow during the run and hold no token
hash: { proxyConfiguration: /etc/nginx/nginx.conf } # SHA-256 goes into the record, by your names
versions: { client: "1.4.2", server: "3.0.1", proxy: "nginx 1.26.3" }

gateway:
  answersItself: false  # true if it refuses bent headers itself: then no JSON-RPC error is demanded of it
  # pid: 4711           # its process, if it runs on this machine: its memory is watched

limits:
  checkSeconds: 90
  overallSeconds: 900
  idleMs: 60000             # a quiet subscription has to stay open that long
  cancelMs: 5000            # a closed connection has to reach the tool within that time
  oversizeBytes: 8388608    # a body of that size is refused by the server with 413
  memoryGrowthMegabytes: 128

# Known failures: who answers for them and until which day. One that is past its day blocks, and so does one
# whose check passes. What blocks by itself (see the README) is not lifted by any.
exceptions: []
#  - { check: errors.413, owner: platform@example.com, reason: "raised with release 12", expires: 2026-12-31 }

signingKey: { file: ./acceptance-private.jwk } # made by: nest-mcp-boundary accept keygen
# caFile: ./our-ca.pem
`;
