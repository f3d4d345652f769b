import type { DeviceAccess } from '@oms/contract/device-access.ts'
import { Button } from 'antd'
import type * as z from 'zod'
import { CopyText } from '#kit/copy-text.tsx'
import { connectionOf } from './connection-text.ts'
import { copyWhole } from './copy-whole.ts'

/** What goes into a device: addresses, and a configuration for SWUpdate as it stands. */
export function Connection({ access }: { access: z.output<typeof DeviceAccess> }) {
  const { ddi, check, report, swupdate } = connectionOf(globalThis.location.origin, access)
  return (
    <>
      <dl className="kit-details access-addresses">
        <div className="kit-wide">
          <dt>DDI 地址（SWUpdate、rauc-hawkbit-updater、Zephyr）</dt>
          <dd>
            <CopyText text={ddi} />
          </dd>
        </div>
        <div>
          <dt>租户名（tenant）</dt>
          <dd>
            <CopyText text={access.tenantNo} />
          </dd>
        </div>
        <div className="kit-wide">
          <dt>简单协议：查询新版本</dt>
          <dd>
            <CopyText text={check} />
          </dd>
        </div>
        <div className="kit-wide">
          <dt>简单协议：上报结果</dt>
          <dd>
            <CopyText text={report} />
          </dd>
        </div>
      </dl>
      <div className="access-snippet-head">
        <h3>swupdate.cfg</h3>
        <Button size="small" onClick={() => void copyWhole(swupdate)}>
          复制配置
        </Button>
      </div>
      <pre className="access-snippet" tabIndex={0} role="region" aria-label="swupdate.cfg">
        {swupdate}
      </pre>
      <p className="group-hint">
        把 &lt;序列号&gt;、&lt;令牌&gt; 和 &lt;当前版本号&gt; 换成该设备的；序列号须与设备信息中的一致。
      </p>
    </>
  )
}
