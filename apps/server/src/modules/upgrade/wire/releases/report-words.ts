import { sanitizeDeviceText } from '#modules/device/wire/response.ts'

/** Words that clients use for a failed update, although the protocol defines only `failure` and `failed`. */
const FAILURE = new Set(['failure', 'failed', 'fail', 'error', 'err', 'aborted', 'abort', 'fatal'])

export const isFailureWord = (word: string) => FAILURE.has(word)

/** Maximum length of a code, equal to that of the column. */
const MAX_CODE = 32

/** Returns a result code as text: clients send unsigned 32-bit numbers, fractions and words. Null without a code. */
export function formatResultCode(value: unknown): string | null {
  if (typeof value !== 'number' && typeof value !== 'string') return null
  return sanitizeDeviceText(value, MAX_CODE) || null
}

/** Returns any JSON value as text for a person: objects as JSON, never as `[object Object]`. */
export function formatJsonValue(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value !== 'object') return String(value)
  try {
    return JSON.stringify(value)
  } catch {
    // The value is nested deeper than the stack permits.
    return '（内容嵌套过深）'
  }
}

/** Text shown on a task whose device sent an unreadable report. */
export const UNREADABLE_REPORT = '设备的报告无法完整读取，任务状态未改变，原文见任务记录'
const RAW_TITLE = '设备的报告无法完整读取，原文：'
const RAW_LINE = 500
const RAW_LINES = 49

/** Returns an unreadable report as lines of a task log: a title and the text as received, up to the limit of a log. */
export function splitUnreadableReport(text: string): string[] {
  const lines = [RAW_TITLE]
  for (let at = 0; at < text.length && lines.length <= RAW_LINES; at += RAW_LINE)
    lines.push(text.slice(at, at + RAW_LINE))
  return lines
}
