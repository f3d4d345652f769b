import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { openEventStream } from '#kernel/event-stream.ts'
import { useServerEvent } from '#kernel/events.ts'
import { bindPermRefetch } from '#kernel/perm-version.ts'
import { askRelogin, isLeaving } from '#kernel/relogin.ts'
import { currentPermissions, currentSession } from '#kernel/session.tsx'
import { toast } from '#kernel/toast.ts'

/** Listens to the server while one is logged in: rights, ended sessions, changed rows, messages. */
export function useServerNews(reloadPermissions: () => Promise<void>, ready: boolean) {
  const client = useQueryClient()
  useEffect(() => {
    if (!ready) return undefined
    bindPermRefetch(onlyOnce(() => (isLeaving() ? Promise.resolve() : reloadPermissions())))
    // After a gap in the stream anything may have changed.
    let opened = false
    return openEventStream(() => {
      if (opened) void client.invalidateQueries({ refetchType: 'active' })
      opened = true
    })
  }, [client, ready, reloadPermissions])
  useServerEvent('perms', ({ version }) => {
    if (version !== currentPermissions().version && !isLeaving()) void reloadPermissions()
  })
  useServerEvent('sessionEnd', ({ msg }) => askRelogin('ended', msg, currentSession()?.token ?? ''))
  useServerEvent('changed', ({ resource }) => void client.invalidateQueries({ queryKey: [resource] }))
  useServerEvent('notice', ({ title }) => {
    toast.info(`新消息：${title}`)
    void client.invalidateQueries({ queryKey: ['sys'] })
  })
}

/** Many answers at once tell of the same change. */
function onlyOnce(go: () => Promise<void>) {
  let running = false
  return () => {
    if (running) return
    running = true
    void go().finally(() => {
      running = false
    })
  }
}
