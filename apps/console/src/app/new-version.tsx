import { useEffect } from 'react'
import { notification } from '#core/loading/overlays.ts'
import { ActionButton } from './action-button.tsx'

const EVERY_MS = 5 * 60_000
const KEY = 'new-version'

/** Shows once that a newer version is installed; the user decides when to reload. */
export function NewVersion() {
  useEffect(() => {
    const look = async () => {
      if (document.visibilityState !== 'visible' || !(await isOutdated())) return
      clearInterval(timer)
      notification.open({
        type: 'info',
        key: KEY,
        title: '系统已更新',
        description: '刷新后使用新版本。请先保存正在编辑的内容。',
        duration: 0,
        actions: (
          <ActionButton primary onClick={() => location.reload()}>
            立即刷新
          </ActionButton>
        ),
      })
    }
    const timer = setInterval(look, EVERY_MS)
    document.addEventListener('visibilitychange', look)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [])
  return null
}

let lookedAt = Date.now()
async function isOutdated() {
  if (Date.now() - lookedAt < EVERY_MS - 1000) return false
  lookedAt = Date.now()
  const answer = await fetch('/version.json', { cache: 'no-store' }).catch(() => undefined)
  const { version }: { version?: string } = (await answer?.json().catch(() => undefined)) ?? {}
  return version !== undefined && version !== __VERSION__
}
