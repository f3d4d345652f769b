import { isPublicPath, findSafeReturnPath } from '#core/routing/addresses.ts'
import { publishToTabs } from '#core/events/tab-channel.ts'
import { readCredentials, readRememberedUsername, rememberUsername, saveCredentials } from '#core/auth/credentials.ts'
import { showPageBrand } from '#core/sign-in/page-brand.ts'
import { readColorScheme } from '#core/theme/color-scheme.ts'
import { computeMd5 } from '#core/auth/md5.ts'
import { requestLogin, type LoginRefusal } from './ask.ts'
import { type Field, FIELDS, clearErrors, findElement, markMissingFields, showError, showFormError } from './fields.ts'
import { preloadConsole } from './preload.ts'

// The login page uses no framework, so that it works before the console's first chunk is loaded.
let captchaId = ''
let busy = false

const wanted = new URLSearchParams(location.search).get('redirect')
const target = findSafeReturnPath(wanted ?? location.pathname + location.search + location.hash)

function start() {
  // Sets the theme before the first paint to avoid a flash. The document waits for this script.
  const theme = localStorage.getItem('theme')
  if (theme) document.documentElement.dataset.theme = theme
  showPageBrand(readColorScheme())
  if (readCredentials()) return location.replace(target)
  // Without a session the server returns this page for every URL, so the URL is corrected here.
  if (location.pathname !== '/' && !isPublicPath(location.pathname)) {
    history.replaceState(null, '', target === '/' ? '/login' : `/login?redirect=${encodeURIComponent(target)}`)
  }
  findElement('note').textContent = sessionStorage.getItem('note') ?? ''
  sessionStorage.removeItem('note')
  listen()
  offerRemembered()
  preloadConsole(target)
}

function offerRemembered() {
  const name = readRememberedUsername()
  const account = input('account')
  // Keeps text that the user or the browser entered before this script was loaded.
  if (name && !account.value) account.value = name
  checkbox().checked = name !== ''
  if (document.activeElement === document.body) input(account.value ? 'pswd' : 'account').focus()
}

function listen() {
  findElement('form').addEventListener('submit', (event) => {
    event.preventDefault()
    void submit()
  })
  for (const field of FIELDS) input(field).addEventListener('input', () => showError(field, ''))
  findElement('eye').addEventListener('click', togglePassword)
  findElement('pic').addEventListener('click', () => void newCaptcha())
  input('pswd').addEventListener('keyup', (event) => {
    findElement('caps').hidden = !event.getModifierState?.('CapsLock')
  })
}

async function submit() {
  if (busy) return
  clearErrors()
  const missing = markMissingFields()
  if (missing) return input(missing).focus()
  setBusy(true)
  const result = await requestLogin({
    account: input('account').value.trim(),
    pswdMd5: computeMd5(input('pswd').value.trim()),
    ...(captchaId && { captchaId, captcha: input('captcha').value.trim() }),
    ...(isShown('totp') && { totp: input('totp').value.trim() }),
  })
  if (result.code !== 200) {
    setBusy(false)
    return refuse(result)
  }
  saveCredentials(result.data)
  rememberUsername(checkbox().checked ? input('account').value.trim() : '')
  publishToTabs({ type: 'login', uid: result.data.uid })
  location.replace(target)
}

function refuse({ msg, data }: LoginRefusal) {
  const field = FIELD_OF[data.field ?? '']
  if (data.totp) show('totp')
  if (data.captcha || captchaId) void newCaptcha()
  const firstAskForTotp = data.totp && field === 'totp' && !input('totp').value
  if (field) showError(field, msg)
  else showFormError(msg)
  if (firstAskForTotp) showError('totp', '请输入两步验证码或恢复码')
  const next = field ?? (data.totp ? 'totp' : 'pswd')
  input(next).focus()
  if (next !== 'account') input(next).select()
}
const FIELD_OF: Readonly<Record<string, Field>> = {
  account: 'account',
  pswdMd5: 'pswd',
  captcha: 'captcha',
  captchaId: 'captcha',
  totp: 'totp',
}

async function newCaptcha() {
  const response = await fetch('/api/v1/account/captcha', { headers: { 'x-client': 'console' } }).catch(() => undefined)
  const body = await response?.json().catch(() => undefined)
  if (body?.code !== 200) return showFormError(body?.msg || '图形验证码加载失败，请点击图片重试')
  show('captcha')
  captchaId = body.data.captchaId
  input('captcha').value = ''
  const image = new Image()
  image.alt = ''
  image.src = body.data.svg
  findElement('pic').replaceChildren(image)
}

function togglePassword() {
  const field = input('pswd')
  const hidden = field.type === 'password'
  field.type = hidden ? 'text' : 'password'
  findElement('eye').textContent = hidden ? '隐藏' : '显示'
  findElement('eye').setAttribute('aria-label', hidden ? '隐藏密码' : '显示密码')
  findElement('eye').setAttribute('aria-pressed', String(hidden))
  field.focus()
}

function setBusy(now: boolean) {
  busy = now
  findElement('go').setAttribute('aria-disabled', String(now))
  findElement('go').textContent = now ? '登录中' : '登录'
}

const input = (field: Field) => findElement<HTMLInputElement>(field)
const checkbox = () => findElement<HTMLInputElement>('remember')
const isShown = (field: 'captcha' | 'totp') => !findElement(`row-${field}`).hidden
const show = (field: 'captcha' | 'totp') => {
  findElement(`row-${field}`).hidden = false
}

start()
