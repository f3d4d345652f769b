import { otaAlarms, softwareAlarms } from '@oms/contract/ota-signing.ts'
import { Alert, Button } from 'antd'
import { useRead, useWrite } from '#kernel/query.ts'
import { Allowed } from '#kernel/session.tsx'
import { Time } from '#kit/time.tsx'
import { useFamily } from './family.ts'

const SHOWN = 3

/** What about these versions somebody has to look at; it stays until a person says so. */
export function AlarmBanner() {
  const alarms = useFamily().key === 'ota' ? otaAlarms : softwareAlarms
  const { data } = useRead(alarms.list, { pageNum: 1, pageSize: SHOWN }, { quiet: true })
  const close = useWrite(alarms.close)
  if (!data || data.list.length === 0) return null
  return (
    <div className="ota-alarms" role="region" aria-label="告警">
      {data.list.map(({ id, message, createTime }) => (
        <Alert
          key={id}
          type="error"
          showIcon
          title={
            <>
              {message}
              <small className="ota-when">
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
      {data.total > SHOWN && <p className="ota-hint">还有 {data.total - SHOWN} 条告警</p>}
    </div>
  )
}
