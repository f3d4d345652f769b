import { isLockConflictCode, readErrorCauses } from '#core/database/error-codes.ts'

/** Error codes of the network and of PostgreSQL (classes 08, 40, 53, 55, 57) for transient failures. */
const NETWORK = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN', 'ENOTFOUND', 'EHOSTUNREACH'])
const POSTGRES = /^(?:08|40|53|55|57)[0-9A-Z]{3}$/
/** Messages of pg errors without a code. */
const MESSAGES =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection)/

/** Returns true when the job failed because a resource was unavailable or busy for a moment. */
export const isTransientError = (error: unknown): boolean =>
  readErrorCauses(error).some(({ code, message }) => NETWORK.has(code) || POSTGRES.test(code) || MESSAGES.test(message))

/** True for an error caused by a simultaneous change: a deadlock, a serialization failure or a lock timeout. */
export const isLockConflict = (error: unknown): boolean =>
  readErrorCauses(error).some(({ code }) => isLockConflictCode(code))
