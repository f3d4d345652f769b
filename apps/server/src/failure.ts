/** Errors made for the operator say everything in their message. */
const PLAIN = new Set([
  'ConfigError',
  'EmbeddedDatabaseError',
  'DatabaseError',
  'MigrationError',
  'CommandError',
  'Problem',
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

/** The one line printed when a start or a command fails; a stack helps nobody who did not write the program. */
export function explainFailure(error: unknown): string {
  if (!(error instanceof Error)) return `失败：${String(error)}`
  if (PLAIN.has(error.name)) return error.message
  const code = 'code' in error && typeof error.code === 'string' ? SYSTEM[error.code] : undefined
  return code ? `失败：${code}（${error.message}）` : `失败：${error.message || error.name}`
}
