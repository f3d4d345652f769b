import { createDecipheriv, createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { buildMcpAddress, createMcpToken } from './mcp.ts'

/** Decrypts a token as the MCP end point service does. */
function open(token: string, key: string, bits: 128 | 192 | 256) {
  const padded = Buffer.alloc(bits / 8)
  padded.write(key)
  const cipher = createDecipheriv(`aes-${bits}-ecb`, padded, null)
  return JSON.parse(Buffer.concat([cipher.update(token, 'base64'), cipher.final()]).toString())
}

test.each([
  ['0123456789abcdef', 128],
  ['0123456789abcdef01234567', 192],
  ['0123456789abcdef0123456789abcdef', 256],
  ['short', 256],
  ['0123456789abcdef0123456789abcdef-and-more', 256],
] as const)('a token with the key %s is encrypted with AES of %i bits', (key, bits) => {
  expect(open(createMcpToken(key, '7'), key, bits)).toEqual({ agentId: createHash('md5').update('7').digest('hex') })
})

test('the MCP call address keeps host and path prefix, and ends with /call/ and an escaped token', () => {
  const address = buildMcpAddress('http://host:8004/mcp_endpoint/health?key=0123456789abcdef', 'call', 7)!
  expect(address).toMatch(/^ws:\/\/host:8004\/mcp_endpoint\/call\/\?token=[\w%.-]+$/)
  const token = new URL(address).searchParams.get('token')!
  expect(token).toBe(createMcpToken('0123456789abcdef', '7'))
  expect(buildMcpAddress('https://host/x/health?key=k', 'call', 7)).toMatch(/^wss:\/\/host\/x\/call\//)
  expect(buildMcpAddress('https://host/x/health?key=k', 'mcp', 7)).toMatch(/^wss:\/\/host\/x\/mcp\/\?token=/)
})

test('no MCP address is returned when the endpoint has no key', () => {
  expect(buildMcpAddress('', 'call', 7)).toBeUndefined()
  expect(buildMcpAddress('http://host:8004/mcp_endpoint/health', 'call', 7)).toBeUndefined()
})
