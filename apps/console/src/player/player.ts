import './player.css'
import { Api } from './api.ts'
import { PlayerApp } from './app.ts'
import { PlayerClock } from './clock.ts'
import { createMessagePicture } from './pages/message-picture.ts'
import { pairByCode, readStoredPairing } from './pages/pairing.ts'
import { showPairingPage } from './pages/pairing-page.ts'
import { becomeOnlyWindow } from './single-window.ts'
import type { Pairing } from './wire.ts'

/** Interval of checks for a new version. The reload at 04:00 applies a stored version. */
const UPDATE_MS = 60 * 60_000

async function start(root: HTMLElement) {
  // A frame in another page could otherwise replace the pairing of this browser.
  if (window.top !== window) return
  let waiting: HTMLElement | undefined
  await becomeOnlyWindow(() => {
    if (waiting) return
    waiting = createMessagePicture('本机已有播放窗口')
    root.append(waiting)
  })
  waiting?.remove()
  registerWorker()
  const clock = await PlayerClock.open()
  const api = new Api(clock)
  const pairing = (await readStoredPairing()) ?? (await pair(root, api, clock))
  void navigator.storage?.persist?.().catch(() => undefined)
  keepScreenOn()
  await PlayerApp.start(root, api, clock, pairing)
}

async function pair(root: HTMLElement, api: Api, clock: PlayerClock): Promise<Pairing> {
  const page = showPairingPage(root)
  const pairing = await pairByCode(api, clock, page.show)
  page.remove()
  return pairing
}

/** Keeps the screen from turning off. The browser ends the lock when the page is covered. */
function keepScreenOn() {
  const request = () => {
    if (!document.hidden) void navigator.wakeLock?.request('screen').catch(() => undefined)
  }
  document.addEventListener('visibilitychange', request)
  request()
}

/** Registers the service worker. Playing does not wait, because the registration may fail without a network. */
function registerWorker() {
  navigator.serviceWorker
    ?.register('/player/sw.js', { scope: '/player/', updateViaCache: 'none' })
    .then((registration) => setInterval(() => void registration.update().catch(() => undefined), UPDATE_MS))
    .catch(() => undefined)
}

window.addEventListener('hashchange', () => location.reload())
const root = document.getElementById('player')
if (root) void start(root)
