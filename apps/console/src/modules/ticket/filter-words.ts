import { FeedbackFilter } from '@oms/contract/ticket/ticket-input.ts'
import { PROBLEM_PARTS, type ProblemPart } from '@oms/contract/ticket/ticket-rows.ts'
import { about } from '@oms/contract/core/fields.ts'

/** Filters that a chart sets and that have no field in the search form. */
export const HIDDEN_FILTERS = [
  'open',
  'handlerId',
  'lastHandlerId',
  'verCode',
  'breached',
  'hardware',
  'software',
  'structure',
  'weekday',
  'hour',
  'minAge',
  'maxAge',
  'reopened',
  'responded',
  'merged',
  'rated',
  'closeBegin',
  'closeEnd',
] as const
type Hidden = (typeof HIDDEN_FILTERS)[number]

const WEEKDAYS = ['', '一', '二', '三', '四', '五', '六', '日']

/** Words of yes-no filters: the word for 1, and the word for 0. */
const YES_NO: Partial<Record<Hidden, readonly [string, string]>> = {
  open: ['未关闭', '已关闭'],
  breached: ['曾超时', '未曾超时'],
  reopened: ['曾重新打开', '未曾重新打开'],
  responded: ['已响应', '未响应'],
  merged: ['已合并', '未合并'],
  rated: ['已评价', '未评价'],
}

interface Named {
  /** Names of the ids in the filter; undefined while they load. */
  readonly names: { readonly handler: string; readonly lastHandler: string; readonly version: string } | undefined
  partLabel(part: ProblemPart, option: string): string
}

/** Returns one Chinese description for each filter that a chart has set. */
export function describeFilters(values: Readonly<Record<string, unknown>>, named: Named): string[] {
  const set = HIDDEN_FILTERS.filter((key) => values[key] !== undefined && key !== 'minAge' && key !== 'maxAge')
  const age = describeAge(values['minAge'], values['maxAge'])
  return [...set.map((key) => describeFilter(key, String(values[key]), named)), ...(age ? [age] : [])]
}

function describeFilter(key: Hidden, value: string, { names, partLabel }: Named): string {
  const words = YES_NO[key]
  if (words) return value === '1' ? words[0] : words[1]
  const { title } = about(FeedbackFilter, key)
  const part = PROBLEM_PARTS.find((each) => each === key)
  if (part) return `${title}：${partLabel(part, value)}`
  if (key === 'handlerId') return `${title}：${names?.handler || `账号${value}`}`
  if (key === 'lastHandlerId') return `${title}：${names?.lastHandler || `账号${value}`}`
  if (key === 'verCode') return value === '0' ? '固件：未上报版本' : `固件：${names?.version || value}`
  if (key === 'weekday') return `周${WEEKDAYS[Number(value)]}`
  return key === 'hour' ? `${value}点` : `${title}：${value}`
}

/** Returns the words of an age range as the statistics name it. */
function describeAge(min: unknown, max: unknown) {
  if (min === undefined && max === undefined) return undefined
  return max === undefined ? `未关闭时长：${Number(min)} 天以上` : `未关闭时长：${Number(min ?? 0)}-${Number(max)} 天`
}
