import type { Endpoint, InputOf, ResultOf } from '@oms/contract/core/endpoint.ts'
import { useRead } from '#core/api/query.ts'
import { useMayCall } from '#core/auth/session.tsx'
import { useSearchParams } from '#core/routing/router.tsx'

/** URL parameters of an open record drawer: the id of the record, and the tab of the drawer. */
const RECORD = 'record'
const TAB = 'tab'

/**
 * Stores the record and the tab of a list's drawer in the URL, so that reloading the page opens them again. Loads a
 * record that is not among the rows with `get`. Adds no entry to the browser history, because the back button would
 * close the drawer without asking about unsaved input.
 */
export function useRecordInUrl<E extends Endpoint, Row extends ResultOf<E> & { readonly id: number }>(
  get: E,
  rows: readonly Row[],
) {
  const [params, setParams] = useSearchParams()
  const mayRead = useMayCall()(get)
  const id = Math.trunc(Number(params.get(RECORD))) || 0
  const listed = rows.find((row) => row.id === id)
  const enabled = mayRead && id > 0 && listed === undefined
  const { data } = useRead(get, { id } as InputOf<E>, { enabled, keepPrevious: false })
  const change = (changes: Readonly<Record<string, string | undefined>>) => {
    const next = new URLSearchParams(params)
    for (const [key, value] of Object.entries(changes)) {
      if (value === undefined) next.delete(key)
      else next.set(key, value)
    }
    setParams(next, { replace: true })
  }
  return {
    row: id > 0 ? (listed ?? (data as Row | undefined)) : undefined,
    show: (row: Row | undefined) =>
      change(row === undefined ? { [RECORD]: undefined, [TAB]: undefined } : { [RECORD]: String(row.id) }),
    tab: params.get(TAB) ?? undefined,
    setTab: (tab: string) => change({ [TAB]: tab }),
  }
}
