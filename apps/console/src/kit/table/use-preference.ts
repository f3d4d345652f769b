import { useQueryClient } from '@tanstack/react-query'
import { call } from '#core/api/client.ts'
import { createQueryKey, useRead } from '#core/api/query.ts'
import { getSession } from '#core/auth/session.tsx'
import { preferenceCalls } from './preference-calls.ts'

/** Debounce in milliseconds: settings change rapidly while dragging, and only the last value is sent. */
const SETTLE_MS = 800

interface Preferences {
  list: { key: string; value: string }[]
}

/** Returns an account preference of this screen: first from the local copy, then from the server. */
export function usePreference<Value>(name: string, initial: Value) {
  const key = formatPreferenceKey(name)
  const client = useQueryClient()
  const read = useRead(preferenceCalls.preferences, {}, { staleTime: Number.POSITIVE_INFINITY, quiet: true })
  const kept = read.data?.list.find((each) => each.key === key)?.value
  const value = parsed(chosen.get(key)?.text ?? kept ?? localStorage.getItem(localKey(key)), initial)

  const set = (next: Value) => {
    const text = JSON.stringify(next)
    localStorage.setItem(localKey(key), text)
    save(key, text)
    client.setQueryData<Preferences>(createQueryKey(preferenceCalls.preferences, {}), (old) => ({
      list: [...(old?.list ?? []).filter((each) => each.key !== key), { key, value: text }],
    }))
  }
  return [value, set] as const
}

/** Returns the screen's preference name: the path without ids and without characters that the server refuses. */
export const formatPreferenceKey = (name: string) =>
  name
    .replaceAll(/\/\d+(?=\/|$)/g, '/:id')
    .replaceAll(/[^A-Za-z0-9_./:-]/g, '_')
    .slice(0, 100)

const localKey = (key: string) => `oms.preference.${getSession()?.uid ?? 0}.${key}`

/** Locally changed values have priority over a response of an earlier request. */
const chosen = new Map<string, { text: string; timer: ReturnType<typeof setTimeout> }>()

function save(key: string, text: string) {
  clearTimeout(chosen.get(key)?.timer)
  const timer = setTimeout(() => {
    // The local copy remains; a failed preference request shows no error.
    call(preferenceCalls.setPreference, { key, value: text }, { quiet: true }).catch(() => {})
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
