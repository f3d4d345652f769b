/** Sample data of the component states. */
export const SAMPLE_OPTIONS = ['甲', '乙', '丙'].map((label, value) => ({ label, value, disabled: value === 2 }))
export const SAMPLE_WORDS = [{ value: '甲' }, { value: '乙' }]
export const SAMPLE_TREE = [
  { key: 'a', value: 'a', title: '甲', children: [{ key: 'b', value: 'b', title: '乙' }] },
  { key: 'c', value: 'c', title: '丙', disabled: true, checkable: false },
]
export const SAMPLE_ROWS = Array.from({ length: 4 }, (_, id) => ({
  id,
  name: `名称${id}`,
  state: '启用',
  more: '说明',
}))
export const SAMPLE_MENU = {
  items: [
    { key: 1, label: '编辑' },
    { type: 'divider' as const },
    { key: 2, label: '删除', danger: true },
    { key: 3, label: '停用', disabled: true },
  ],
}
export const findPageContainer = () => document.body
