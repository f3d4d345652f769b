export const FIELDS = ['account', 'pswd', 'captcha', 'totp'] as const
export type Field = (typeof FIELDS)[number]

const MISSING: Readonly<Record<Field, string>> = {
  account: '请输入账号',
  pswd: '请输入密码',
  captcha: '请输入图形验证码',
  totp: '请输入两步验证码或恢复码',
}

export function findElement<T extends HTMLElement = HTMLElement>(id: string) {
  const found = document.getElementById(id)
  if (!found) throw new Error(`no element ${id}`)
  return found as T
}

/** Shows the error at its field; an empty text removes the error. */
export function showError(field: Field, text: string) {
  findElement(`e-${field}`).textContent = text
  findElement(field).setAttribute('aria-invalid', String(text !== ''))
}

/** Shows an error that belongs to no field. */
export const showFormError = (text: string) => {
  findElement('all').textContent = text
}

export function clearErrors() {
  for (const field of FIELDS) showError(field, '')
  showFormError('')
  findElement('note').textContent = ''
}

/** Marks every empty visible field as invalid. Returns the first of them. */
export function markMissingFields() {
  const missing = FIELDS.filter((field) => {
    const row = document.getElementById(`row-${field}`)
    return !row?.hidden && !findElement<HTMLInputElement>(field).value.trim()
  })
  for (const field of missing) showError(field, MISSING[field])
  return missing[0]
}
