import { MAY_RECORD_TEXT, PERMIT_RULE, storageDeviceVideos } from '@oms/contract/storage/device-video.ts'
import { Tag } from 'antd'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import '../storage.css'

const Result = ({ passed }: { passed: number | null }) => {
  if (passed === null) return <Tag>未检查</Tag>
  return passed === 1 ? <Tag color="success">通过</Tag> : <Tag color="error">未通过</Tag>
}

/**
 * Shows why a camera may not upload now: the rules of a permit with their values, and the last request of the camera.
 */
export function PermitExplanation({ sn, channel }: { sn: string; channel: number }) {
  const { data, error, refetch } = useRead(storageDeviceVideos.why, { sn, channel }, { quiet: true })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={3} />
  const { askTime, answer, uploadTime, troubleTime, trouble } = data
  const lastRefusal = answer === '' || answer === MAY_RECORD_TEXT ? '' : `，最近一次询问被拒绝：${answer}`
  return (
    <details className="storage-why" open={data.refusal !== '' || lastRefusal !== ''}>
      <summary>
        为什么没有录像：<b>{data.refusal === '' ? `现在可以上传录像${lastRefusal}` : data.refusal}</b>
      </summary>
      <p className="kit-hint">
        {askTime ? `最近一次询问 ${askTime}，回答：${answer}` : '设备从未询问'}
        {` · ${uploadTime ? `最近上传 ${uploadTime}` : '从未上传'}`}
        {troubleTime && ` · ${troubleTime} 设备上报故障：${trouble}`}
      </p>
      <ol className="kit-plain" aria-label={`通道 ${channel} 的录像条件`}>
        {data.rules.map(({ reason, passed, value }) => (
          <li key={reason} className="kit-row">
            <Result passed={passed} />
            <span>{PERMIT_RULE[reason]}</span>
            {value !== '' && <small className="kit-muted">{value}</small>}
          </li>
        ))}
      </ol>
    </details>
  )
}
