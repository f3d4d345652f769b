const REASONS: Readonly<Record<string, string>> = {
  too_small: '内容过短或数值过小',
  too_big: '内容过长或数值过大',
  invalid_value: '选项不正确',
  unrecognized_keys: '含有不支持的内容',
}

/**
 * Returns the Chinese reason of a schema issue without its own message. The default messages of zod name types in
 * English.
 */
export const findDefaultReason = ({ code, input }: { readonly code?: string; readonly input?: unknown }) =>
  input === undefined ? '缺少必填内容' : (REASONS[code ?? ''] ?? '格式不正确')
