import { otaAlarms, softwareAlarms } from '@oms/contract/upgrade/ota-signing.ts'
import { Alert, Button } from 'antd'
import { useRead, useWrite } from '#core/api/query.ts'
import { Allowed } from '#core/auth/session.tsx'
import { Time } from '#kit/record/time.tsx'
import { useArtifactKind } from './artifact-kind.ts'

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
