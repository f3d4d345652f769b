import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { Segmented } from 'antd'
import { type ComponentType, useState } from 'react'
import { useMayCall } from '#core/auth/session.tsx'
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

/**
 * Shows one of several lists with a switch above it. `name` is the key under which the tab stores the selected list.
 */
export function ListSwitch({ name, lists }: { readonly name: string; readonly lists: readonly ListPanel[] }) {
  const mayCall = useMayCall()
  const [value, setValue] = useTabState<string>(name, '')
  const [start, setStart] = useState('')
  const offered = lists.filter(({ to }) => to === undefined || mayCall(to))
  const shown = offered.find((each) => each.value === value) ?? offered[0]
  if (!shown) return null
  const Panel = shown.panel
  const open = (list: string, filters = '') => {
    setStart(filters)
    setValue(list)
  }
  return (
    <>
      <div>
        <Segmented
          value={shown.value}
          options={offered.map(({ value: key, label }) => ({ value: key, label }))}
          onChange={(list) => open(list)}
        />
      </div>
      <Panel key={`${shown.value}?${start}`} start={start} onOpen={open} />
    </>
  )
}
