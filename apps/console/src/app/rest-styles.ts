import 'virtual:antd-rest.css'
