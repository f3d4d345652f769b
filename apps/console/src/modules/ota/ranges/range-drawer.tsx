import { otaGraph, softwareGraph } from '@oms/contract/ota/ota-graph.ts'
import { Drawer, Empty, Input } from 'antd'
import { useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { type ArtifactKind, ArtifactKindProvider, useArtifactKind } from '../artifact-kind.ts'
import { DeviceModelPicker } from '../model-picker.tsx'
import '../ota.css'
import { RangeChart } from './range-chart.tsx'
import { RangeTable } from './range-table.tsx'
import { VersionRangeDescription } from './range-words.tsx'
import type { Version } from '../use-ota-actions.tsx'

/** The model that the drawer shows, or a version that is shown as if it were enabled. */
export interface RangeSubject {
  readonly modelId?: number
  readonly modelName?: string
  readonly packageName?: string
  readonly version?: Version
}
interface RangeDrawerProps {
  artifact: ArtifactKind
  subject: RangeSubject | undefined
  onClose(): void
}

/** Drawer with the upgrade paths of a model from each version to the newest version. */
export function RangeDrawer({ artifact, subject, onClose }: RangeDrawerProps) {
  const [held, setHeld] = useState(subject)
  if (subject && subject !== held) setHeld(subject)
  const version = held?.version
  return (
    <ArtifactKindProvider value={artifact}>
      <Drawer
        open={subject !== undefined}
        size="min(1080px, 100vw)"
        title={
          version && version.status !== 1
            ? `版本路径：启用「${version.verName}」（${version.verCode}）以后`
            : '版本路径'
        }
        onClose={onClose}
        // `destroyOnHidden` would lose the focus of a drawer that is closed during its opening animation.
        afterOpenChange={(isOpen) => !isOpen && setHeld(undefined)}
      >
        {held && <Inside subject={held} />}
      </Drawer>
    </ArtifactKindProvider>
  )
}

function Inside({ subject: { version, ...first } }: { subject: RangeSubject }) {
  const { key } = useArtifactKind()
  const [modelId, setModelId] = useState(version?.modelId ?? first.modelId)
  const [packageName, setPackageName] = useState(version?.packageName ?? first.packageName ?? '')
  const ready = modelId !== undefined && (key === 'ota' || packageName !== '')
  const { modelId: id, modelName: name } = version ?? first
  const draft = version && version.status !== 1 && version.modelId === modelId && version.packageName === packageName
  return (
    <>
      <div className="ota-range-pick">
        <label>
          <span>设备型号</span>
          <DeviceModelPicker
            {...(modelId !== undefined && { value: modelId })}
            onChange={setModelId}
            chosen={id ? { id, name: name ?? String(id) } : undefined}
          />
        </label>
        {key === 'software' && (
          <label>
            <span>包名</span>
            <Input.Search
              defaultValue={packageName}
              placeholder="请输入包名"
              onSearch={(text) => setPackageName(text.trim())}
              enterButton="查看"
            />
          </label>
        )}
      </div>
      {ready ? (
        <Shown asked={{ modelId, packageName, ...(draft && { otaId: version.otaId }) }} />
      ) : (
        <Empty description={key === 'ota' ? '请选择设备型号' : '请选择设备型号并输入包名'} />
      )}
    </>
  )
}

function Shown({ asked }: { asked: { modelId: number; packageName: string; otaId?: number } }) {
  const { key } = useArtifactKind()
  const { data, error, refetch } = useRead(key === 'ota' ? otaGraph.get : softwareGraph.get, asked, {
    quiet: true,
    keepPrevious: false,
  })
  if (!data) return <Waiting reads={[{ error, refetch }]} />
  return (
    <>
      <VersionRangeDescription graph={data} />
      {data.nodes.length === 0 ? (
        <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="该型号还没有设备，也没有已启用的版本" />
      ) : (
        <div className="ota-range-view">
          <RangeChart graph={data} />
          <RangeTable graph={data} />
        </div>
      )}
    </>
  )
}
