import { agentOrders } from '@oms/contract/agent/orders/order.ts'
import { type OrderPreview as Preview, splitSerials } from '@oms/contract/agent/orders/order-entities.ts'
import { Alert, Form, Spin } from 'antd'
import type { InputOf } from '@oms/contract/core/endpoint.ts'
import { formatCurrency } from '@oms/contract/core/money.ts'
import { useRead } from '#core/api/query.ts'
import { useDebounced } from '#kit/form/use-debounced.ts'
import '../packages/product.css'
import './order.css'

type Input = InputOf<typeof agentOrders.preview>
type Asked = Partial<Input> & { readonly scope?: number }

const WHOLE_TENANT = 3
/** Maximum number of refused targets that the preview names. */
const MOST_NAMED = 5

/** Shows the amount of the order in the form and what every target gets, computed by the server. */
export function OrderPreview({ isGift }: { readonly isGift: 0 | 1 }) {
  const form = Form.useFormInstance<Asked>()
  const watched = Form.useWatch((all: Asked) => all, { form, preserve: true }) as Asked | undefined
  const values = JSON.parse(useDebounced(JSON.stringify(watched ?? {}))) as Asked
  const { scope, packageId, tenantId, deviceIds, groupId, serials, agentIds, copies, discount } = values
  const hasTargets =
    scope === WHOLE_TENANT ||
    groupId !== undefined ||
    [deviceIds, agentIds, splitSerials(serials ?? '')].some((list) => Array.isArray(list) && list.length > 0)
  if (packageId === undefined || !hasTargets || !copies)
    return <p className="order-quiet">填写完整后，这里显示订单金额和每个使用对象得到的内容。</p>
  const goods = { packageId, tenantId, deviceIds, groupId, serials, agentIds, copies }
  return <Computed input={{ ...goods, discount: isGift ? 0 : (discount ?? 0), isGift }} />
}

function Computed({ input }: { readonly input: Input }) {
  const { data, error, isFetching } = useRead(agentOrders.preview, input, { quiet: true })
  if (error) return <Alert type="warning" showIcon title={error.message} />
  return (
    <Spin spinning={isFetching}>
      {data ? <Facts of={data} isGift={input.isGift === 1} /> : <div className="order-preview-empty" />}
    </Spin>
  )
}

function Facts({ of, isGift }: { readonly of: Preview; readonly isGift: boolean }) {
  const { targetCount, grantCount, listAmount, discount, amount, problems } = of
  return (
    <section className="product-preview" aria-label="订单预览">
      <p className="order-sum">
        <span>
          {targetCount.toLocaleString()} 个使用对象，发放 {grantCount.toLocaleString()} 项权益
        </span>
        <span>标价 {formatCurrency(listAmount)}</span>
        {discount > 0 && <span>优惠 {formatCurrency(discount)}</span>}
        <span>
          {isGift ? '赠送，应收' : '应收'} <b>{formatCurrency(amount)}</b>
        </span>
      </p>
      {problems.length > 0 && <Problems list={problems} />}
      <h3>今天付款并开始使用，每个使用对象得到</h3>
      <ul className="product-list">
        {of.packs.map((pack) => (
          <li key={pack.packNo}>
            <b>
              第 {pack.packNo} 份 · {of.content}
            </b>
            <span className="product-quiet">
              {pack.beginTime.slice(0, 10)} 开始，{pack.validUntil.slice(0, 10)} 结束；最晚{' '}
              {pack.activateUntil.slice(0, 10)} 前开始使用
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

const Problems = ({ list }: { readonly list: Preview['problems'] }) => (
  <Alert
    type="error"
    showIcon
    className="product-note"
    title={`${list.length.toLocaleString()} 个使用对象不能下单，请移除后提交`}
    description={
      <>
        {list.slice(0, MOST_NAMED).map(({ name, msg }) => (
          <div key={`${name}:${msg}`}>
            {name}：{msg}
          </div>
        ))}
        {list.length > MOST_NAMED && <div>……</div>}
      </>
    }
  />
)
