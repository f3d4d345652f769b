import { createElement } from './dom.ts'
import type { ShowCode } from './pairing.ts'
import { drawQrCode } from './qr-code.ts'

const SCREENS = '/advertiseManage/ProgramList/screens'

/** Shows the pairing page in `root`. Returns `show` for codes and `remove` for the page. */
export function showPairingPage(root: HTMLElement): { show: ShowCode; remove: () => void } {
  const letters = createElement('div', 'pairing-code')
  letters.setAttribute('role', 'img')
  const qrCode = createElement('canvas', 'pairing-qr')
  qrCode.hidden = true
  const state = createElement('p', 'pairing-state', '正在连接服务器…')
  state.setAttribute('role', 'status')
  const words = createElement(
    'div',
    'pairing-words',
    createElement('h1', '', '配对屏幕'),
    createElement('p', 'pairing-how', '请在“广告管理 / 节目单 / 屏幕”中输入配对码'),
    letters,
    state,
  )
  const page = createElement('section', 'pairing', createElement('div', 'pairing-card', words, qrCode))
  root.append(page)
  let timer = 0
  const show: ShowCode = (pending) => {
    clearInterval(timer)
    letters.textContent = ''
    letters.append(...[...(pending?.code ?? '')].map((letter) => createElement('span', '', letter)))
    letters.setAttribute('aria-label', pending ? `配对码 ${[...pending.code].join(' ')}` : '')
    qrCode.hidden = !pending
    state.textContent = '正在连接服务器…'
    if (!pending) return
    drawQrCode(qrCode, `${location.origin}${SCREENS}?pairCode=${encodeURIComponent(pending.code)}`)
    const endsAt = performance.now() + pending.leftMs
    const tick = () => (state.textContent = `配对码 ${remaining(endsAt - performance.now())}后更换`)
    tick()
    timer = window.setInterval(tick, 1000)
  }
  const remove = () => {
    clearInterval(timer)
    page.remove()
  }
  return { show, remove }
}

/** Returns the remaining time in minutes, and in the last minute in seconds: `15 分钟`. */
function remaining(ms: number) {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  return seconds > 60 ? `${Math.ceil(seconds / 60)} 分钟` : `${seconds} 秒`
}
