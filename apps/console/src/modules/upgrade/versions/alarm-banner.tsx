import { otaAlarms, softwareAlarms } from '@oms/contract/upgrade/ota-signing.ts'
import { Alert, Button, Spin } from 'antd'
import { useRead, useWrite } from '#core/api/query.ts'
import { Allowed } from '#core/auth/session.tsx'
import { Time } from '#kit/record/time.tsx'
import { useArtifactKind, type ArtifactKind } from './artifact-kind.ts'
import { softwareRelease } from '@oms/contract/upgrade/software-release.ts'
import { otaRelease } from '@oms/contract/upgrade/upgrade-release.ts'

const SHOWN = 3

/** Banner with the open alarms of versions. An alarm stays until a user acknowledges it. */
export function AlarmBanner() {
  const alarms = useArtifactKind().key === 'ota' ? otaAlarms : softwareAlarms
  const { data } = useRead(alarms.list, { pageNum: 1, pageSize: SHOWN }, { quiet: true })
  const close = useWrite(alarms.close)
  if (!data || data.list.length === 0) return null
  return (
    <div className="kit-stack" role="region" aria-label="告警">
      {data.list.map(({ id, message, createTime }) => (
        <Alert
          key={id}
          type="error"
          showIcon
          title={
            <>
              {message}{' '}
              <small className="kit-number">
                <Time at={createTime} />
              </small>
            </>
          }
          action={
            <Allowed to={alarms.close}>
              <Button
                size="small"
                loading={close.isPending && close.variables?.id === id}
                onClick={() => close.mutate({ id })}
              >
                知道了
              </Button>
            </Allowed>
          }
        />
      ))}
      {data.total > SHOWN && <p className="kit-hint">还有 {data.total - SHOWN} 条告警</p>}
    </div>
  )
}

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
