from footfall.live.crowd import write_crowd_page as write_crowd_page
from footfall.live.description import write_module as write_module
from footfall.live.page import live_page as live_page
from footfall.live.page import write_live_page as write_live_page
