import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { Segmented } from 'antd'
import { type ComponentType, useState } from 'react'
import { useMayCall } from '#core/auth/session.tsx'
import { useSearchParams } from '#core/routing/router.tsx'
import { useTabState } from '#core/routing/tab.tsx'

export interface ListPanelProps {
  /** Filters with which the list begins, as in a URL. */
  readonly start: string
  /** Shows another list with these filters. */
  onOpen(list: string, start: string): void
}

interface ListPanel {
  readonly value: string
  readonly label: string
  /** The list is hidden when the account may not call this endpoint. */
  readonly to?: Endpoint
  readonly panel: ComponentType<ListPanelProps>
}

/** Returns the list and the filters that the URL requests: `?view=orders&list=refunds&refundNo=…`. */
function readRequest(params: URLSearchParams) {
  const list = params.get('list')
  const filters = [...params].filter(([key]) => key !== 'view' && key !== 'list')
  return list === null ? undefined : { list, start: new URLSearchParams(filters).toString() }
}

/**
 * Shows one of several lists with a switch above it. `name` is the key under which the tab stores the selected list. A
 * URL with `list` opens this list with the filters of the URL, until another list is selected.
 */
export function ListSwitch({ name, lists }: { readonly name: string; readonly lists: readonly ListPanel[] }) {
  const mayCall = useMayCall()
  const [value, setValue] = useTabState<string>(name, '')
  const [start, setStart] = useState('')
  const [params, setParams] = useSearchParams()
  const request = readRequest(params)
  const offered = lists.filter(({ to }) => to === undefined || mayCall(to))
  const shown = offered.find((each) => each.value === (request?.list ?? value)) ?? offered[0]
  if (!shown) return null
  const Panel = shown.panel
  const open = (list: string, filters = '') => {
    setStart(filters)
    setValue(list)
    if (request) setParams(`view=${params.get('view') ?? ''}`, { replace: true })
  }
  const begin = request?.start ?? start
  return (
    <>
      <div>
        <Segmented
          value={shown.value}
          options={offered.map(({ value: key, label }) => ({ value: key, label }))}
          onChange={(list) => open(list)}
        />
      </div>
      <Panel key={`${shown.value}?${begin}`} start={begin} onOpen={open} />
    </>
  )
}
