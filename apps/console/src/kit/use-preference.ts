import { useQueryClient } from '@tanstack/react-query'
import { call } from '#kernel/call.ts'
import { keyOf, useRead } from '#kernel/query.ts'
import { currentSession } from '#kernel/session.tsx'
import { settings } from './preference-calls.ts'

/** Settings change in bursts (a column dragged, a width pulled); only the last of a burst is sent. */
const SETTLE_MS = 800

interface Preferences {
  list: { key: string; value: string }[]
}

/** A setting of this screen kept per account: at once from this browser's copy, then from the server. */
export function usePreference<Value>(name: string, initial: Value) {
  const key = preferenceKey(name)
  const client = useQueryClient()
  const read = useRead(settings.preferences, {}, { staleTime: Number.POSITIVE_INFINITY, quiet: true })
  const kept = read.data?.list.find((each) => each.key === key)?.value
  const value = parsed(chosen.get(key)?.text ?? kept ?? localStorage.getItem(localKey(key)), initial)

  const set = (next: Value) => {
    const text = JSON.stringify(next)
    localStorage.setItem(localKey(key), text)
    save(key, text)
    client.setQueryData<Preferences>(keyOf(settings.preferences, {}), (old) => ({
      list: [...(old?.list ?? []).filter((each) => each.key !== key), { key, value: text }],
    }))
  }
  return [value, set] as const
}

/** Ids in an address are no part of a screen's identity; characters the server refuses are no part of a name. */
export const preferenceKey = (name: string) =>
  name
    .replaceAll(/\/\d+(?=\/|$)/g, '/:id')
    .replaceAll(/[^A-Za-z0-9_./:-]/g, '_')
    .slice(0, 100)

const localKey = (key: string) => `oms.preference.${currentSession()?.uid ?? 0}.${key}`

/** What was set here holds here, also against an answer that was asked for before. */
const chosen = new Map<string, { text: string; timer: ReturnType<typeof setTimeout> }>()

function save(key: string, text: string) {
  clearTimeout(chosen.get(key)?.timer)
  const timer = setTimeout(() => {
    // This browser keeps its copy; a setting is not worth an error message.
    call(settings.setPreference, { key, value: text }, { quiet: true }).catch(() => {})
  }, SETTLE_MS)
  chosen.set(key, { text, timer })
}

function parsed<Value>(text: string | null | undefined, initial: Value): Value {
  try {
    return text ? (JSON.parse(text) as Value) : initial
  } catch {
    return initial
  }
}
