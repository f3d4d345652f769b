import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { Segmented } from 'antd'
import type { ComponentType } from 'react'
import { useMayCall } from '#core/auth/session.tsx'
import { useSearchParams } from '#core/routing/router.tsx'

export interface ListPanelProps {
  /** Shows another list with these filters, as in a URL. */
  onOpen(list: string, filters: string): void
}

interface ListPanel {
  readonly value: string
  readonly label: string
  /** The list is hidden when the account may not call this endpoint. */
  readonly to?: Endpoint
  readonly panel: ComponentType<ListPanelProps>
}

/**
 * Shows one of several lists with a switch above it. The URL contains the list, unless it is the first one, and the
 * filters of the list: `?view=orders&list=refunds&refundNo=…`.
 */
export function ListSwitch({ lists }: { readonly lists: readonly ListPanel[] }) {
  const mayCall = useMayCall()
  const [params, setParams] = useSearchParams()
  const offered = lists.filter(({ to }) => to === undefined || mayCall(to))
  const shown = offered.find(({ value }) => value === params.get('list')) ?? offered[0]
  if (!shown) return null
  const Panel = shown.panel
  const open = (list: string, filters = '') => {
    const view = params.get('view')
    const place = { ...(view && { view }), ...(list !== offered[0]?.value && { list }) }
    setParams(new URLSearchParams([...Object.entries(place), ...new URLSearchParams(filters)]))
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
      <Panel key={shown.value} onOpen={open} />
    </>
  )
}
