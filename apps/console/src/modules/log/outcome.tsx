import { Tag, Tooltip } from 'antd'

/** Whether it worked; on failure, why, for those who point at it or reach it by keyboard. */
export function Outcome({ ok, why }: { ok: boolean; why?: string }) {
  const tag = (
    <Tag color={ok ? 'success' : 'error'} {...(!ok && why && { tabIndex: 0 })}>
      {ok ? '成功' : '失败'}
    </Tag>
  )
  return !ok && why ? <Tooltip title={why}>{tag}</Tooltip> : tag
}
