/** Counts characters as the schemas of the contract count them: Unicode code points. */
export const countCharacters = (text: string) => {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/**
 * Returns antd's count of a text field. Unlike `maxLength`, this count does not cut a longer pasted text. The count
 * turns red, and the rule of the field refuses the text.
 */
export const showCount = (max: number) => ({ count: { show: true, max, strategy: countCharacters } })

/** Returns an antd validator that refuses a text over `max` characters, for a control without a contract field. */
export const createMaxLengthValidator = (title: string, max: number) => async (_rule: unknown, value: unknown) => {
  if (countCharacters(String(value ?? '')) > max) throw new Error(`${title}不能超过${max}个字符`)
}
