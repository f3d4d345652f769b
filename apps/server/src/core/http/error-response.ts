import { MESSAGES } from '@oms/contract/core/envelope.ts'
import { UPLOAD_MESSAGES } from '@oms/contract/core/upload.ts'
import type { FastifyError, FastifyReply, FastifyRequest, FastifyInstance } from 'fastify'
import { PasswordsBusy } from '#core/auth/passwords.ts'
import { isLockConflictCode, readErrorCauses } from '#core/database/error-codes.ts'
import { PartConflict, UnknownUploadError, UploadIncomplete } from '#core/storage/resumable.ts'
import { DiskFull, FileMismatch, FileMissing, FileTooLarge } from '#core/storage/store.ts'
import { ApiError, CONFLICT_MESSAGE, HttpError, StaleError } from './api-error.ts'
import type { Module } from './implement.ts'

const QUERY_TIMEOUT = '57014'
/** PostgreSQL errors caused by the caller's input, with their Chinese messages. */
const BY_SQLSTATE: Readonly<Record<string, string>> = {
  '23505': '数据已存在，请刷新后重试',
  '22003': '数值超出范围',
  '22001': '内容过长',
  '22021': '内容含有不支持的字符',
  '22P05': '内容含有不支持的字符',
  [QUERY_TIMEOUT]: '查询超时，请缩小查询范围',
}
/** The database disk is full. Reads still work, and the log must inform an operator. */
const DISK_FULL = '53100'
const UNREACHABLE = /^(08|57P0|53)/
const SOCKET_ERRORS = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT'])
const BY_FASTIFY: Readonly<Record<string, readonly [number, string]>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, '不支持的请求内容类型'],
  FST_ERR_CTP_BODY_TOO_LARGE: [413, '请求内容过大'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [400, '请求内容不完整'],
  FST_REQ_FILE_TOO_LARGE: [413, '上传文件过大'],
  FST_FILES_LIMIT: [400, '一次只能上传一个文件'],
}

const UPLOAD_PROBLEMS = [
  [FileMismatch, '文件校验不一致，请重新上传'],
  [FileMissing, '文件不存在或已被删除'],
  [UnknownUploadError, '上传已过期，请重新上传'],
  [PartConflict, '分片内容不一致，请重新上传'],
  [UploadIncomplete, '文件尚未传完，请继续上传'],
] as const

/** Calls whose statement reached the time limit of the database in this process, by operation. */
export const queryTimeouts = new Map<string, number>()

/** Converts any thrown value into an envelope. The response contains no stack and no internal text. */
export function sendErrorResponse(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  if (reply.raw.headersSent) return reply.raw.destroy()
  if (error instanceof StaleError) {
    const { msg, data } = error.responseFor(request.caller)
    return send(reply, 200, error.code, msg, data)
  }
  if (error instanceof ApiError) return send(reply, 200, error.code, error.message, error.data)
  if (error instanceof HttpError) {
    if (error.retryAfter) reply.header('retry-after', String(error.retryAfter))
    return send(
      reply,
      error.status,
      error.status,
      error.message,
      error.retryAfter ? { retryAfter: error.retryAfter } : null,
    )
  }
  if (error instanceof FileTooLarge) return send(reply, 200, 400, '上传文件过大', { field: 'file' })
  if (error instanceof DiskFull) return send(reply, 200, 501, UPLOAD_MESSAGES.full, null)
  const upload = UPLOAD_PROBLEMS.find(([kind]) => error instanceof kind)
  if (upload) return send(reply, 200, 400, upload[1], { field: 'file' })
  if (error instanceof PasswordsBusy) return send(reply, 503, 503, '登录人数过多，请稍后再试', { retryAfter: 3 })
  return sendUnexpectedError(error, request, reply)
}

function sendUnexpectedError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const { code = '', statusCode, message = '' } = causeOf(error)
  const known = BY_FASTIFY[code]
  if (known)
    return known[0] === 400 ? send(reply, 200, 400, known[1], null) : send(reply, known[0], known[0], known[1], null)
  // The multipart parser has no error code for a truncated body.
  if (/unexpected end of multipart data/i.test(message)) return send(reply, 200, 400, '请求内容不完整', null)
  // The URL itself is invalid, so no route matched, and the HTTP status carries the error too.
  if (code === 'FST_ERR_BAD_URL') return send(reply, 400, 400, '请求地址格式不正确', null)
  if (statusCode === 400) return send(reply, 200, 400, '请求内容格式不正确', null)
  if (statusCode && statusCode < 500) return send(reply, statusCode, statusCode, '请求不正确', null)
  if (code === QUERY_TIMEOUT) noteQueryTimeout(error, request)
  const sqlMessage = isLockConflictCode(code) ? CONFLICT_MESSAGE : BY_SQLSTATE[code]
  if (sqlMessage) return send(reply, 200, code === QUERY_TIMEOUT ? 501 : 400, sqlMessage, null)
  request.log.error({ err: error }, 'request failed')
  if (code === DISK_FULL) return send(reply, 200, 501, MESSAGES.full, null)
  if (
    UNREACHABLE.test(code) ||
    SOCKET_ERRORS.has(code) ||
    /timeout exceeded when trying to connect|Connection terminated/.test(message)
  )
    return send(reply, 503, 503, MESSAGES.unavailable, null)
  return send(reply, 500, 500, MESSAGES.failed, { requestId: request.id })
}

/** Logs and counts a time-out for the operator. The caller only gets an API error. */
function noteQueryTimeout(error: unknown, request: FastifyRequest) {
  const operation = request.operation ?? request.routeOptions.url ?? 'unknown'
  queryTimeouts.set(operation, (queryTimeouts.get(operation) ?? 0) + 1)
  request.log.error({ err: error, operation }, 'query timed out')
}

/** Returns the first cause with a code, such as the driver's error with its SQLSTATE; otherwise the innermost cause. */
function causeOf(error: unknown): Partial<FastifyError> {
  const causes = readErrorCauses(error)
  const found = causes.find(({ code }) => code !== '') ?? causes.at(-1)
  return found ? (found.error as Partial<FastifyError>) : {}
}

/**
 * HTTP statuses of refusals for a caller that sends `x-oms-status: http`, such as `curl -f`. Other callers get 200 with
 * the code in the body.
 */
const HTTP_STATUS: Readonly<Record<number, number>> = { 400: 400, 401: 401, 403: 403, 501: 403 }

function send(reply: FastifyReply, status: number, code: number, msg: string, data: unknown) {
  reply.request.bodyCode = code
  const wantsStatus = status === 200 && reply.request.headers['x-oms-status'] === 'http'
  return reply
    .code(wantsStatus ? (HTTP_STATUS[code] ?? status) : status)
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify({ code, msg, data }))
}

/**
 * Responds 404 to unknown calls and 405 with `Allow` to other methods of known paths. `console-files.ts` serves pages.
 */
export function handleUnknownPaths(app: FastifyInstance, modules: readonly Module[]) {
  // Compiles hundreds of patterns only at the first unknown call.
  let patterns: ReturnType<typeof patternsOf> | undefined
  app.setNotFoundHandler((request, reply) => {
    const known = (patterns ??= patternsOf(modules))
    request.bodyCode = 404
    const path = request.url.split('?')[0] ?? ''
    const parts = path.split('/')
    const methods = [...new Set(known.flatMap(({ method, pattern }) => (matches(pattern, parts) ? [method] : [])))]
    if (methods.length) {
      request.bodyCode = 405
      reply.header('allow', methods.join(', '))
      return reply.code(405).send({ code: 405, msg: '请求方式不正确', data: null })
    }
    return reply.code(404).send({ code: 404, msg: '网络请求不存在!', data: null })
  })
}

const patternsOf = (modules: readonly Module[]) =>
  modules.flatMap(({ contract }) =>
    Object.values(contract).map(({ method, path }) => ({ method, pattern: path.split('/') })),
  )

const matches = (pattern: readonly string[], parts: readonly string[]) =>
  pattern.length === parts.length &&
  pattern.every((part, at) => (part.startsWith(':') ? parts[at] !== '' : part === parts[at]))
