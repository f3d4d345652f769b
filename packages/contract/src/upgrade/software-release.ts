import type { Access, Contract } from '../core/endpoint.ts'
import { otaRelease } from './upgrade-release.ts'
import { otaTask } from './upgrade-task.ts'
import { otaAllowlist } from './upgrade-allowlist.ts'

/** The calls of firmware releases, copied for software packages with their own paths and permissions. */
type SoftwareCalls<C extends Contract> = {
  readonly [K in keyof C]: Omit<C[K], 'path' | 'access'> & {
    readonly path: `/api/v1/${string}`
    readonly access: Access
  }
}

const inWords = (text: string) => text.replaceAll('固件', '软件包')

/**
 * Returns the calls of firmware releases with the paths, permissions and titles of software packages. Permissions for
 * firmware and for software packages are independent.
 */
function twinOf<C extends Contract>(calls: C): SoftwareCalls<C> {
  const entries = Object.entries(calls).map(([name, call]) => {
    const path = call.path
      .replace('/api/v1/upgrade/', '/api/v1/upgrade/software/')
      .replace('/api/v1/device/ota/', '/api/v1/device/software/')
    const access = call.access.replace('upgrade:ota:', 'upgrade:GeneralSoftware:')
    const { title, summary } = call
    const words = { ...(title && { title: inWords(title) }), ...(summary && { summary: inWords(summary) }) }
    return [name, { ...call, path, access, ...words }]
  })
  return Object.fromEntries(entries)
}

const { ofDevice: _, ...tasks } = otaTask

export const softwareRelease = twinOf(otaRelease)
export const softwareTask = twinOf(tasks)
export const softwareAllowlist = twinOf(otaAllowlist)
