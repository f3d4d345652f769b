import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { refreshReads } from '#core/api/query.ts'
import { openEventStream } from '#core/events/event-stream.ts'
import { useServerEvent } from '#core/events/events.ts'
import { registerPermissionRefetch, handlePermissionVersion } from '#core/auth/permission-version.ts'
import { requestRelogin, isLeaving } from '#core/auth/relogin.ts'
import { getSession } from '#core/auth/session.tsx'
import { toast } from '#core/loading/toast.ts'

/** Handles server events of a session: permissions, ended sessions, changed rows, messages. */
export function useSessionEvents(reloadPermissions: () => Promise<void>, ready: boolean) {
  const client = useQueryClient()
  useEffect(() => {
    if (!ready) return undefined
    registerPermissionRefetch(oneAtATime(() => (isLeaving() ? Promise.resolve() : reloadPermissions())))
    // Data may have changed during a connection loss, so everything is refetched.
    let opened = false
    return openEventStream(() => {
      if (opened) void refreshReads(client)
      opened = true
    })
  }, [client, ready, reloadPermissions])
  useServerEvent('perms', ({ version }) => handlePermissionVersion(version))
  useServerEvent('sessionEnd', ({ msg }) => requestRelogin('ended', msg, getSession()?.token ?? ''))
  useServerEvent('changed', ({ resource }) => void refreshReads(client, { resource }))
  useServerEvent('notice', ({ title }) => {
    toast.info(`新消息：${title}`)
    void client.invalidateQueries({ queryKey: ['sys'] })
  })
}

/** Coalesces reports of the same change; a change reported during a request triggers one further request. */
function oneAtATime(reload: () => Promise<void>) {
  let running = false
  let reportedVersion = ''
  return (version: string) => {
    reportedVersion = version
    if (running) return
    running = true
    void reload().finally(() => {
      running = false
      if (reportedVersion !== version) handlePermissionVersion(reportedVersion)
    })
  }
}
