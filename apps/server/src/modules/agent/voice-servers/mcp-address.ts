import { createCipheriv, createHash } from 'node:crypto'

const KEY_SIZES = new Set([16, 24, 32])
const LONGEST_KEY = 32

/**
 * Returns the token of an agent at the MCP end point service: the agent's id, encrypted with the service's key. The
 * service prescribes AES-ECB with PKCS7 padding, and keys of another length padded with zeros or cut to 32 bytes.
 */
export function createMcpToken(key: string, agentId: string): string {
  const given = Buffer.from(key)
  const padded = KEY_SIZES.has(given.length)
    ? given
    : Buffer.concat([given, Buffer.alloc(LONGEST_KEY)]).subarray(0, LONGEST_KEY)
  const cipher = createCipheriv(`aes-${padded.length * 8}-ecb`, padded, null)
  const plain = JSON.stringify({ agentId: createHash('md5').update(agentId).digest('hex') })
  return Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]).toString('base64')
}

/**
 * Returns a WebSocket address of an agent at the MCP access point: `call` is the address at which a voice server
 * reaches the tools, `mcp` the address at which a tool provider attaches them. `endpoint` is the value of
 * `server.mcp_endpoint`. Returns undefined when the address in `endpoint` has no key.
 */
export function buildMcpAddress(endpoint: string, side: 'call' | 'mcp', agentId: number): string | undefined {
  if (!URL.canParse(endpoint)) return undefined
  const url = new URL(endpoint)
  const key = url.searchParams.get('key')
  if (!key) return undefined
  const scheme = url.protocol === 'https:' ? 'wss' : 'ws'
  const prefix = url.pathname.slice(0, url.pathname.lastIndexOf('/'))
  return `${scheme}://${url.host}${prefix}/${side}/?token=${encodeURIComponent(createMcpToken(key, String(agentId)))}`
}
