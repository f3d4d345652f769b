import { COMPONENT_TYPE } from '@oms/contract/ota/ota.ts'
import { Button, Popover, Skeleton } from 'antd'
import { formatBytes } from '#core/text/format.ts'
import { useRead } from '#core/api/query.ts'
import { useCan } from '#core/auth/session.tsx'
import { DictLabel } from '#kit/pickers/dict-words.tsx'
import { useArtifactKind } from '../artifact-kind.ts'
import '../ota.css'
import type { Version } from '../use-ota-actions.tsx'

/** Number of components of a version. The components are loaded when the popover opens. */
export function ComponentCount({ version: { otaId, components, verName } }: { version: Version }) {
  const can = useCan()
  const { calls } = useArtifactKind()
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
  const { calls } = useArtifactKind()
  const { data, error } = useRead(calls.get, { otaId }, { quiet: true, keepPrevious: false })
  if (error) return <>{error.message}</>
  if (!data) return <Skeleton active title={false} paragraph={{ rows: 2, width: 200 }} />
  return (
    <ul className="ota-summary">
      {data.components.map(({ id, name, type, size }) => (
        <li key={id}>
          <span>{name}</span>
          <span>
            <DictLabel type="ota_component_type" words={COMPONENT_TYPE} value={type} />
          </span>
          <span>{formatBytes(size)}</span>
        </li>
      ))}
    </ul>
  )
}
