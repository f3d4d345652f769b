/** Formats a value as text: labels for codes, 是/否 for booleans, lists joined by 、, empty text for absent values. */
export function plainText(value: unknown, labels?: Readonly<Record<number, string>>): string {
  if (value === undefined || value === null || value === '') return ''
  if (Array.isArray(value)) return value.map((item) => plainText(item, labels)).join('、')
  if (labels && typeof value !== 'object') return labels[Number(value)] ?? String(value)
  if (typeof value === 'boolean') return value ? '是' : '否'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
