import { otaGraph, softwareGraph } from '@oms/contract/ota-graph.ts'
import { Alert, Button } from 'antd'
import { useRead } from '#kernel/query.ts'
import type { Family } from './family.ts'
import { effectWords } from './range-words.tsx'
import type { Version } from './use-ota-actions.tsx'

/** Before a version is enabled: what that does to the ways of the devices in the field. */
export function EnableNote({ family, row, onShow }: { family: Family; row: Version; onShow(): void }) {
  const { modelId, packageName, otaId } = row
  const asked = { modelId, packageName, otaId }
  const { data } = useRead(family.key === 'ota' ? otaGraph.get : softwareGraph.get, asked, {
    quiet: true,
    staleTime: 0,
  })
  if (!data?.effect) return null
  const { stranded, newest } = data
  return (
    <div className="ota-enable-note">
      <p role="status">{effectWords(data.effect)}。</p>
      {stranded > 0 && <Alert type="warning" showIcon title={`${stranded} 台设备没有可用路径到达最新版本 ${newest}`} />}
      <Button type="link" size="small" onClick={onShow}>
        查看版本路径
      </Button>
    </div>
  )
}
