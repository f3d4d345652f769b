import { otaGraph, softwareGraph } from '@oms/contract/ota/ota-graph.ts'
import { Alert, Button } from 'antd'
import { useRead } from '#core/api/query.ts'
import type { ArtifactKind } from './artifact-kind.ts'
import { describeRangeEffect } from './ranges/range-words.tsx'
import type { Version } from './use-ota-actions.tsx'

/** Shows before a version is enabled how the upgrade paths of existing devices change. */
export function EnableNote({ artifact, row, onShow }: { artifact: ArtifactKind; row: Version; onShow(): void }) {
  const { modelId, packageName, otaId } = row
  // The confirmation opens only for a version with a model.
  const asked = { modelId: modelId!, packageName, otaId }
  const { data } = useRead(artifact.key === 'ota' ? otaGraph.get : softwareGraph.get, asked, {
    quiet: true,
    staleTime: 0,
  })
  if (!data?.effect) return null
  const { stranded, newest } = data
  return (
    <div className="ota-enable-note">
      <p role="status">{describeRangeEffect(data.effect)}。</p>
      {stranded > 0 && <Alert type="warning" showIcon title={`${stranded} 台设备无法升级到最新版本 ${newest}`} />}
      <Button type="link" size="small" onClick={onShow}>
        查看版本路径
      </Button>
    </div>
  )
}
