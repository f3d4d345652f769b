import { PlusOutlined } from '@ant-design/icons'
import {
  AutoComplete,
  Button,
  Checkbox,
  DatePicker,
  Form,
  Input,
  InputNumber,
  Radio,
  Rate,
  Segmented,
  Select,
  Space,
  Switch,
  TimePicker,
  TreeSelect,
} from 'antd'
import type { ReactNode } from 'react'
import { SAMPLE_OPTIONS, SAMPLE_TREE, SAMPLE_WORDS } from './samples.ts'

/** Buttons of all types and sizes. */
export const ButtonStates = () => (
  <>
    {(['primary', 'default', 'link', 'text', 'dashed'] as const).flatMap((type) =>
      (['middle', 'small'] as const).map((size) => (
        <Space key={`${type} ${size}`} wrap>
          <Button type={type} size={size}>
            文字
          </Button>
          <Button type={type} size={size} icon={<PlusOutlined />} />
          <Button type={type} size={size} icon={<PlusOutlined />} danger>
            危险
          </Button>
          <Button type={type} size={size} disabled>
            停用
          </Button>
          <Button type={type} size={size} loading>
            处理中
          </Button>
        </Space>
      )),
    )}
    <Button block ghost>
      整行
    </Button>
    <Space.Compact>
      <Button>一</Button>
      <Button>二</Button>
    </Space.Compact>
  </>
)

type Field = { readonly disabled?: boolean; readonly status?: 'error'; readonly size?: 'small' }

const controls = (field: Field): readonly ReactNode[] => [
  <Input key="input" {...field} allowClear showCount maxLength={9} prefix="¥" suffix="元" defaultValue="值" />,
  <Input key="plain" {...field} placeholder="请输入" />,
  <Input.TextArea key="area" {...field} showCount maxLength={20} autoSize />,
  <Input.Password key="password" {...field} defaultValue="x" />,
  <Input.Search key="search" {...field} enterButton />,
  <InputNumber key="number" {...field} suffix="%" defaultValue={3} />,
  <AutoComplete key="auto" {...field} options={SAMPLE_WORDS} defaultValue="甲" />,
  <Select key="select" {...field} options={SAMPLE_OPTIONS} defaultValue={0} allowClear />,
  <Select key="empty" {...field} options={SAMPLE_OPTIONS} placeholder="请选择" loading />,
  <Select
    key="many"
    {...field}
    mode="multiple"
    options={SAMPLE_OPTIONS}
    defaultValue={[0, 1]}
    maxTagCount="responsive"
  />,
  <TreeSelect key="tree" {...field} treeData={SAMPLE_TREE} treeCheckable defaultValue={['b']} />,
  <DatePicker key="date" {...field} showTime placeholder="请选择日期" />,
  <DatePicker.RangePicker key="range" {...field} />,
  <TimePicker key="time" {...field} />,
]

const FIELDS: readonly Field[] = [{}, { disabled: true }, { status: 'error' }, { size: 'small' }]

/** Fields in all states. */
export const FieldStates = () => (
  <>
    {FIELDS.map((field) => (
      <div key={JSON.stringify(field)}>{controls(field)}</div>
    ))}
    <Input variant="borderless" placeholder="搜索" />
  </>
)

/** Controls that choose from options, in all states. */
export const ChoiceStates = () => (
  <>
    {[false, true].map((disabled) => (
      <div key={String(disabled)}>
        <Checkbox disabled={disabled}>未选</Checkbox>
        <Checkbox disabled={disabled} checked>
          已选
        </Checkbox>
        <Checkbox disabled={disabled} indeterminate>
          部分
        </Checkbox>
        <Checkbox.Group disabled={disabled} options={SAMPLE_OPTIONS} />
        <Radio.Group disabled={disabled} options={SAMPLE_OPTIONS} defaultValue={1} />
        <Radio.Group
          disabled={disabled}
          options={SAMPLE_OPTIONS}
          defaultValue={1}
          optionType="button"
          buttonStyle="solid"
          size="small"
        />
        <Switch disabled={disabled} checkedChildren="启用" unCheckedChildren="停用" checked />
        <Switch disabled={disabled} size="small" loading />
        <Rate disabled={disabled} defaultValue={3} />
        <Segmented disabled={disabled} options={['日', '周']} size="small" />
      </div>
    ))}
  </>
)

/** Forms of all layouts with a failed field. */
export const FormStates = () => (
  <>
    {(['vertical', 'horizontal', 'inline'] as const).map((layout) => (
      <Form key={layout} name={layout} layout={layout}>
        <Form.Item label="名称" required tooltip="说明" extra="补充" name="a">
          <Input />
        </Form.Item>
        <Form.Item label="错误" validateStatus="error" help="请输入名称" hasFeedback>
          <Input />
        </Form.Item>
        <Form.Item noStyle>
          <InputNumber />
        </Form.Item>
      </Form>
    ))}
  </>
)
