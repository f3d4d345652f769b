import { DownOutlined } from '@ant-design/icons'
import {
  AutoComplete,
  Button,
  DatePicker,
  Drawer,
  Dropdown,
  Modal,
  Popconfirm,
  Popover,
  Select,
  TimePicker,
  Tooltip,
  TreeSelect,
} from 'antd'
import { SAMPLE_MENU, SAMPLE_OPTIONS, SAMPLE_TREE, SAMPLE_WORDS, findPageContainer } from './samples.ts'
import { NoteStates, ProgressStates, TableStates } from './content-states.tsx'
import { ButtonStates, ChoiceStates, FieldStates, FormStates } from './field-states.tsx'

const Popups = () => (
  <>
    <Select open options={SAMPLE_OPTIONS} defaultValue={0} getPopupContainer={findPageContainer} />
    <Select open mode="multiple" options={SAMPLE_OPTIONS} defaultValue={[1]} getPopupContainer={findPageContainer} />
    <Select open options={[]} showSearch getPopupContainer={findPageContainer} />
    <TreeSelect open treeData={SAMPLE_TREE} treeCheckable treeDefaultExpandAll getPopupContainer={findPageContainer} />
    <AutoComplete open options={SAMPLE_WORDS} getPopupContainer={findPageContainer} />
    <DatePicker open showTime getPopupContainer={findPageContainer} />
    <DatePicker open picker="month" getPopupContainer={findPageContainer} />
    <DatePicker.RangePicker
      open
      getPopupContainer={findPageContainer}
      presets={[{ label: '今天', value: [null, null] }]}
    />
    <TimePicker open getPopupContainer={findPageContainer} />
    <Dropdown open menu={SAMPLE_MENU}>
      <Button icon={<DownOutlined />}>更多</Button>
    </Dropdown>
    <Popover open title="标题" content="内容">
      <i>气泡</i>
    </Popover>
    <Popconfirm open title="删除？" description="不能恢复">
      <i>确认</i>
    </Popconfirm>
    <Tooltip open title="提示">
      <i>提示</i>
    </Tooltip>
    <Modal open title="标题" footer={undefined} confirmLoading>
      内容
    </Modal>
    <Drawer open title="标题" extra="更多" footer="按钮" mask={false}>
      内容
    </Drawer>
  </>
)

/** Every antd component that the console uses, in the states in which the console shows the component. */
export const AntdStateGallery = () => (
  <>
    <ButtonStates />
    <FieldStates />
    <ChoiceStates />
    <FormStates />
    <TableStates />
    <NoteStates />
    <ProgressStates />
    <Popups />
  </>
)
