import { readMessageSafely } from '#core/logging/logger.ts'

/** Names of errors whose message is complete for the operator. */
const PLAIN = new Set([
  'ConfigError',
  'EmbeddedDatabaseError',
  'DatabaseError',
  'MigrationError',
  'QueueSchemaError',
  'CommandError',
  'ApiError',
])

const SYSTEM: Readonly<Record<string, string>> = {
  EADDRINUSE: '端口已被占用，请停止占用它的程序或用 PORT 换一个端口',
  EADDRNOTAVAIL: '本机没有 HOST 指定的地址',
  EACCES: '没有权限',
  EPERM: '没有权限',
  ENOENT: '没有这个文件或目录，也不能在那里建立',
  ENOTDIR: '路径中间有一段不是目录',
  EROFS: '文件系统只读',
  ENOSPC: '磁盘已满',
}

/** Returns the line that is printed when a start or a command fails. Operators do not need a stack. */
export function explainFailure(error: unknown): string {
  if (!(error instanceof Error)) return `失败：${String(error)}`
  if (PLAIN.has(error.name)) return error.message
  const code = 'code' in error && typeof error.code === 'string' ? SYSTEM[error.code] : undefined
  // drizzle's message names the query; the message of its cause names the reason.
  const message = readMessageSafely(error.cause instanceof Error ? error.cause : error)
  return code ? `失败：${code}（${message}）` : `失败：${message || error.name}`
}
