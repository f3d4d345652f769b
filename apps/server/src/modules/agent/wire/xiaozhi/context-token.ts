import { readNumbers, signNumbers } from '#core/crypto/signed-token.ts'

const USE = 'xiaozhi-context'
/** Validity in seconds. A voice server may request facts until this long after the start of a voice connection. */
const TOKEN_SECONDS = 86_400

/** Returns the token with which a voice server reads facts of the devices of an agent. */
export const createContextToken = (secretKey: Buffer, agentId: number, nowMs: number) =>
  signNumbers(secretKey, USE, [agentId, Math.floor(nowMs / 1000) + TOKEN_SECONDS])

/** Returns the agent of a valid token; undefined for a wrong or expired token. */
export function readContextToken(secretKey: Buffer, token: string, nowMs: number): number | undefined {
  const [agentId, end = 0] = readNumbers(secretKey, USE, token, 2) ?? []
  return end * 1000 < nowMs ? undefined : agentId
}
