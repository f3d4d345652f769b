import { softwareRelease } from '@oms/contract/upgrade/software-release.ts'
import { otaRelease } from '@oms/contract/upgrade/upgrade-release.ts'
import { Spin } from 'antd'
import { useRead } from '#core/api/query.ts'
import type { ArtifactKind } from './artifact-kind.ts'

const CLOSED = 50

/** Shows before a version is disabled which tasks are cancelled and which installations remain. */
export function RecallNote({ artifact, otaId, name }: { artifact: ArtifactKind; otaId: number; name: string }) {
  const { get } = artifact.key === 'ota' ? otaRelease : softwareRelease
  const { data, error } = useRead(get, { otaId }, { quiet: true, keepPrevious: false, staleTime: 0 })
  const open = data?.counts.reduce((sum, { state, count }) => sum + (state < CLOSED ? count : 0), 0) ?? 0
  return (
    <>
      <p>停用{name}？停用后设备不再收到它。</p>
      {!data && !error && <Spin size="small" aria-label="正在查询影响" />}
      {data && (
        <p role="status">
          {open > 0 ? `将取消 ${open} 个进行中的升级任务；` : '没有进行中的升级任务；'}
          {data.installed > 0 ? `${data.installed} 台设备已安装该版本，不受影响。` : '还没有设备安装该版本。'}
        </p>
      )}
    </>
  )
}
