import { SCENE_COVER, SceneInput, scene } from '@oms/contract/scene.ts'
import { Drawer, Form, type FormInstance } from 'antd'
import type * as z from 'zod'
import { call } from '#kernel/call.ts'
import { useRead } from '#kernel/query.ts'
import { Field, NoteField, NumberField, SelectField, SwitchField, TextField } from '#kit/field.tsx'
import { TreeSelectField } from '#kit/field-tree.tsx'
import { FormFooter } from '#kit/form-footer.tsx'
import { LoadingDrawer } from '#kit/loading-layer.tsx'
import { GrantTree } from '#kit/tree/grant-tree.tsx'
import { ImageUpload } from '#kit/upload/image-upload.tsx'
import { useIndustryTree } from '#kit/use-industry-tree.ts'
import { useFormDrawer } from '#kit/use-form-modal.ts'
import { useTypeOptions } from './use-type-options.ts'
import { useImpactQuestion } from './use-impact-question.tsx'
import './scene.css'

type Detail = z.output<(typeof scene.get)['result']>
type Tree = z.output<(typeof scene.permTree)['result']>['menus']

export function SceneAdd({ onClose }: { onClose(): void }) {
  const tree = useRead(scene.permTree, {}, { quiet: true })
  if (!tree.data) return <LoadingDrawer title="新增业务场景" reads={[tree]} onClose={onClose} />
  return <AddForm tree={tree.data.menus} onClose={onClose} />
}

function AddForm({ tree, onClose }: { tree: Tree; onClose(): void }) {
  const { drawer, footer, form } = useFormDrawer(scene.create, { onClose, initial: { sort: 0, isDefault: 0 } })
  return (
    <Drawer {...drawer} title="新增业务场景" footer={<FormFooter {...footer} />}>
      <Form {...form}>
        <Fields tree={tree} />
      </Form>
    </Drawer>
  )
}

/** Changes a scene; it is read anew first, so that the form never starts from an old revision. */
export function SceneEdit({ id, onClose }: { id: number; onClose(): void }) {
  const tree = useRead(scene.permTree, {}, { quiet: true })
  const asked = useRead(scene.get, { id }, { staleTime: 0, keepPrevious: false, quiet: true })
  if (!asked.data || !tree.data) return <LoadingDrawer title="编辑业务场景" reads={[asked, tree]} onClose={onClose} />
  return <EditForm key={asked.data.id} loaded={asked.data} tree={tree.data.menus} onClose={onClose} />
}

function EditForm({ loaded, tree, onClose }: { loaded: Detail; tree: Tree; onClose(): void }) {
  const { drawer, footer, form } = useFormDrawer(scene.update, {
    onClose,
    initial: loaded,
    latest: () => call(scene.get, { id: loaded.id }),
  })
  const ask = useImpactQuestion()
  const save = async () => {
    const menuIds = chosenIn(form.form)
    const words = { title: `保存「${loaded.sceneName}」？`, okText: '保存并立即生效' }
    if (await ask({ id: loaded.id, menuIds: menuIds.length > 0 ? menuIds : 'none' }, words)) form.onFinish()
  }
  return (
    <Drawer {...drawer} title={`编辑业务场景「${loaded.sceneName}」`} footer={<FormFooter {...footer} />}>
      <Form {...form} onFinish={() => void save()}>
        <Fields tree={tree} loaded={loaded} />
      </Form>
    </Drawer>
  )
}

const chosenIn = (form: FormInstance) => (form.getFieldValue('menuIds') as number[] | undefined) ?? []

function Fields({ tree, loaded }: { tree: Tree; loaded?: Detail }) {
  return (
    <>
      <TextField of={SceneInput} name="sceneName" />
      <TextField of={SceneInput} name="sceneCode" />
      <NoteField of={SceneInput} name="description" rows={2} />
      <Field of={SceneInput} name="cover">
        <ImageUpload rule={SCENE_COVER} />
      </Field>
      <Recommended {...(loaded && { loaded })} />
      <div className="scene-pair">
        <NumberField of={SceneInput} name="sort" min={0} max={9999} />
        <SwitchField of={SceneInput} name="isDefault" on="默认" off="不默认" hint="新客户自动使用默认场景" />
      </div>
      <Form.Item name="menuIds" label="菜单权限">
        <GrantTree menus={tree} height={420} label="菜单权限" />
      </Form.Item>
      <NoteField of={SceneInput} name="remark" rows={2} />
    </>
  )
}

/** Whom the scene is meant for: marks it when a customer is opened, and forces nothing. */
function Recommended({ loaded }: { loaded?: Detail }) {
  const industries = useIndustryTree(loaded && { ids: loaded.industryIds, names: loaded.industryNames })
  const types = useTypeOptions(loaded && { ids: loaded.deviceTypeIds, names: loaded.deviceTypeNames })
  return (
    <>
      <TreeSelectField
        of={SceneInput}
        name="industryIds"
        tree={industries}
        multiple
        hint="新增这些行业的客户时优先推荐该场景；一级行业包含其下级"
      />
      <SelectField of={SceneInput} name="deviceTypeIds" options={types} multiple />
    </>
  )
}
