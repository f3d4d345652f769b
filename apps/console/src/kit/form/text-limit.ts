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

/** Removes all blanks, such as those of a pasted `797 984`. */
export const removeBlanks = (value: unknown) => String(value ?? '').replaceAll(/\s/g, '')

/**
 * Returns antd's `count` option for a field that shortens the text to `max` characters. Removes blanks around the text
 * first. `maxLength` would count these blanks and cut the last characters of a pasted text.
 */
export const countTrimmedText = (max: number) => ({
  count: { max, exceedFormatter: (text: string) => text.trim().slice(0, max) },
})

/** Works like `countTrimmedText`, but removes all blanks, because a code contains none. */
export const countCode = (max: number) => ({
  count: { max, exceedFormatter: (text: string) => removeBlanks(text).slice(0, max) },
})
