import type { DeviceAccess } from '@oms/contract/device-group/device-access.ts'
import { Button } from 'antd'
import type * as z from 'zod'
import { CopyText } from '#kit/record/copy-text.tsx'
import { buildConnectionExamples } from './connection-text.ts'
import { copyLines } from './copy-whole.ts'

/** Shows URLs and the SWUpdate configuration for devices. */
export function ConnectionExamples({ access }: { access: z.output<typeof DeviceAccess> }) {
  const { ddi, check, report, swupdate } = buildConnectionExamples(globalThis.location.origin, access)
  return (
    <>
      <Addresses ddi={ddi} check={check} report={report} tenantNo={access.tenantNo} />
      <div className="access-snippet-head">
        <h3>swupdate.cfg</h3>
        <Button size="small" onClick={() => void copyLines(swupdate)}>
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

interface AddressesProps {
  readonly ddi: string
  readonly check: string
  readonly report: string
  readonly tenantNo: string
}

function Addresses({ ddi, check, report, tenantNo }: AddressesProps) {
  return (
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
          <CopyText text={tenantNo} />
        </dd>
      </div>
      <div className="kit-wide">
        <dt>简单协议：检查新版本</dt>
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
  )
}
