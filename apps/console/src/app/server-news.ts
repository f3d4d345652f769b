import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { openEventStream } from '#kernel/event-stream.ts'
import { useServerEvent } from '#kernel/events.ts'
import { bindPermRefetch, heedPermVersion } from '#kernel/perm-version.ts'
import { askRelogin, isLeaving } from '#kernel/relogin.ts'
import { currentSession } from '#kernel/session.tsx'
import { toast } from '#kernel/toast.ts'

/** Listens to the server while one is logged in: rights, ended sessions, changed rows, messages. */
export function useServerNews(reloadPermissions: () => Promise<void>, ready: boolean) {
  const client = useQueryClient()
  useEffect(() => {
    if (!ready) return undefined
    bindPermRefetch(oneAtATime(() => (isLeaving() ? Promise.resolve() : reloadPermissions())))
    // After a gap in the stream anything may have changed.
    let opened = false
    return openEventStream(() => {
      if (opened) void client.invalidateQueries({ refetchType: 'active' })
      opened = true
    })
  }, [client, ready, reloadPermissions])
  useServerEvent('perms', ({ version }) => heedPermVersion(version))
  useServerEvent('sessionEnd', ({ msg }) => askRelogin('ended', msg, currentSession()?.token ?? ''))
  useServerEvent('changed', ({ resource }) => void client.invalidateQueries({ queryKey: [resource] }))
  useServerEvent('notice', ({ title }) => {
    toast.info(`新消息：${title}`)
    void client.invalidateQueries({ queryKey: ['sys'] })
  })
}

/** Many answers and events tell of the same change; one that comes while its answer is under way is looked at after it. */
function oneAtATime(reload: () => Promise<void>) {
  let running = false
  let told = ''
  return (version: string) => {
    told = version
    if (running) return
    running = true
    void reload().finally(() => {
      running = false
      if (told !== version) heedPermVersion(told)
    })
  }
}
