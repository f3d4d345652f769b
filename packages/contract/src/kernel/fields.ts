import * as z from 'zod'
import zhCN from 'zod/v4/locales/zh-CN.js'

// Messages we do not write ourselves still reach a Chinese reader.
z.config(zhCN())

/** The largest id a column of type `integer` holds. */
const MAX_ID = 2_147_483_647
const UNSAFE =
  // oxlint-disable-next-line no-control-regex -- exactly these are refused
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

/** Refuses control characters and lone surrogates: PostgreSQL cannot store the first, UTF-8 not the second. */
const printable = (title: string) => [(value: string) => !UNSAFE.test(value), `${title}含有不支持的字符`] as const

/** An id in a path, a query or a form: `"7"` and `7` are the same. */
export const id = z.coerce
  .number<number>('编号不正确')
  .int('编号不正确')
  .min(1, '编号不正确')
  .max(MAX_ID, '编号不正确')
  .meta({ title: '编号' })

/** Ids of a batch: a single value counts as a list of one (a repeated query key arrives as a string when alone). */
export const ids = (max = 1000) =>
  z.preprocess(
    (value) => (value === undefined || Array.isArray(value) ? value : [value]),
    z.array(id, '请选择数据').min(1, '请选择数据').max(max, `一次最多选择${max}条数据`),
  )

/** A required text. `请输入…` answers both a missing key (an untouched form field) and an empty string. */
export const text = (title: string, max: number, missing = `请输入${title}`) =>
  z
    .string(missing)
    .trim()
    .min(1, missing)
    .max(max, `${title}不能超过${max}个字符`)
    .refine(...printable(title))
    .meta({ title, max })

/** A text that may stay empty. `meta` goes last: wrappers such as `default` do not inherit it. */
export const note = (title: string, max: number) =>
  z
    .string(`${title}不正确`)
    .trim()
    .max(max, `${title}不能超过${max}个字符`)
    .refine(...printable(title))
    .default('')
    .meta({ title, max })

/** A search text: absent when empty; long input is cut off by refusal, never by the database. */
export const search = (title: string, max = 64) =>
  z
    .string(`${title}不正确`)
    .trim()
    .max(max, `${title}不能超过${max}个字符`)
    .refine(...printable(title))
    .optional()
    .meta({ title, max })

/** A whole number that may come as text from a form or a query. */
export const whole = (title: string, min: number, max: number) =>
  z
    .preprocess(
      (value) => (typeof value === 'string' && /^-?\d{1,15}$/.test(value.trim()) ? Number(value) : value),
      z.int(`请输入${title}`).min(min, `${title}不能小于${min}`).max(max, `${title}不能大于${max}`),
    )
    .meta({ title })

/** One value of a closed set of numbers, by number or by digits (`"1"`). `labels` maps each value to its Chinese name. */
export function choice<const T extends Readonly<Record<number, string>>>(
  title: string,
  labels: T,
  missing = `请选择${title}`,
) {
  const values = Object.keys(labels).map(Number)
  return z
    .preprocess(
      (value) => (typeof value === 'string' && /^\d{1,4}$/.test(value) ? Number(value) : value),
      z.literal(values as (keyof T & number)[], missing),
    )
    .meta({ title, labels })
}

/** `yyyy-MM-dd HH:mm:ss` in the console's zone, a real calendar moment. */
export const dateTime = (title: string, missing = `请选择${title}`) =>
  z
    .string(missing)
    .min(1, missing)
    .refine(isDateTime, `${title}格式应为 yyyy-MM-dd HH:mm:ss`)
    .meta({ title, format: 'date-time' })

/** `yyyy-MM-dd`, a real calendar day. */
export const day = (title: string, missing = `请选择${title}`) =>
  z
    .string(missing)
    .min(1, missing)
    .refine((value) => isDateTime(`${value} 00:00:00`), `${title}格式应为 yyyy-MM-dd`)
    .meta({ title, format: 'date' })

/** An emptied form field (`''`, null) is the same as one never sent. */
export const optional = <T extends z.ZodType>(schema: T) =>
  z
    .preprocess((value) => (value === '' || value === null ? undefined : value), schema.optional())
    .meta({ ...schema.meta() })

function isDateTime(value: string) {
  const match = /^(\d{4})-(\d{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2})$/.exec(value)
  if (!match) return false
  const [year, month, date, hour, minute, second] = match.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  if (year < 1900 || month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59) return false
  return date >= 1 && date <= new Date(Date.UTC(year, month, 0)).getUTCDate()
}

/** The revision a form was opened with: a save with an older one is refused instead of overwriting a colleague. */
export const rev = z.coerce.number<number>('缺少版本信息，请刷新后重试').int().min(0).meta({ title: '修订号' })

/** What a schema knows about one field: its Chinese title (form label, column, export header), length limit and labels. */
export function about(schema: z.ZodObject, field: string) {
  const { title = field, max, labels } = (schema.shape[field] as z.ZodType | undefined)?.meta() ?? {}
  return { title, max: max as number | undefined, labels: labels as Readonly<Record<number, string>> | undefined }
}
