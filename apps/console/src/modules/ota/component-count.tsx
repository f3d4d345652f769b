import { COMPONENT_TYPE } from '@oms/contract/ota.ts'
import { Button, Popover, Skeleton } from 'antd'
import { formatBytes } from '#kernel/format.ts'
import { useRead } from '#kernel/query.ts'
import { useCan } from '#kernel/session.tsx'
import { useFamily } from './family.ts'
import './ota.css'
import type { Version } from './use-ota-actions.tsx'

/** The number of components; which ones they are is asked for when somebody looks. */
export function ComponentCount({ version: { otaId, components, verName } }: { version: Version }) {
  const can = useCan()
  const { calls } = useFamily()
  if (components === 0 || !can(calls.get.access)) return <>{components}</>
  return (
    <Popover trigger="click" title="组件" destroyOnHidden content={<Summary otaId={otaId} />}>
      <Button className="ota-count" type="link" size="small" aria-label={`${verName} 的 ${components} 个组件`}>
        {components}
      </Button>
    </Popover>
  )
}

function Summary({ otaId }: { otaId: number }) {
  const { calls } = useFamily()
  const { data, error } = useRead(calls.get, { otaId }, { quiet: true, keepPrevious: false })
  if (error) return <>{error.message}</>
  if (!data) return <Skeleton active title={false} paragraph={{ rows: 2, width: 200 }} />
  return (
    <ul className="ota-summary">
      {data.components.map(({ id, name, type, size }) => (
        <li key={id}>
          <span>{name}</span>
          <span>{COMPONENT_TYPE[type as keyof typeof COMPONENT_TYPE]}</span>
          <span>{formatBytes(size)}</span>
        </li>
      ))}
    </ul>
  )
}
