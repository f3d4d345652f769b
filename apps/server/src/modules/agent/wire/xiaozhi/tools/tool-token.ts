import { readNumbers, signNumbers } from '#core/crypto/signed-token.ts'

const USE = 'xiaozhi-tools'
/**
 * Validity in seconds. A voice server may connect to the tools until this long after the start of a voice connection.
 */
const TOKEN_SECONDS = 86_400

/** Permission in a token of the tool endpoint: the tools of one agent for one device. */
export interface ToolGrant {
  readonly deviceId: number
  readonly agentId: number
}

/** Returns the token with which a voice server uses the tools of an agent for a device. */
export const createToolToken = (secretKey: Buffer, { deviceId, agentId }: ToolGrant, nowMs: number): string =>
  signNumbers(secretKey, USE, [deviceId, agentId, Math.floor(nowMs / 1000) + TOKEN_SECONDS])

/** Returns the grant of a valid token; undefined for a wrong or expired token. */
export function readToolToken(secretKey: Buffer, token: string, nowMs: number): ToolGrant | undefined {
  const [deviceId = 0, agentId = 0, end = 0] = readNumbers(secretKey, USE, token, 3) ?? []
  return end * 1000 < nowMs ? undefined : { deviceId, agentId }
}

interface Asker extends ToolGrant {
  readonly secretKey: Buffer
  /** Address at which the voice server called. */
  readonly origin: string
  readonly now: number
}

/** Returns the WebSocket address of the tool endpoint; undefined for an agent without tools. */
export const createToolAddress = ({ secretKey, origin, now, ...grant }: Asker, tools: readonly string[]) =>
  tools.length === 0
    ? undefined
    : `${origin.replace(/^http/, 'ws')}/xiaozhi/mcp/call/?token=${createToolToken(secretKey, grant, now)}`
