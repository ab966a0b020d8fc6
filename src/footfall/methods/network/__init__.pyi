from footfall.methods.network.controller import NetworkController as NetworkController
from footfall.methods.network.deciding import Block as Block
from footfall.methods.network.multilayer import Network as Network
from footfall.methods.network.multilayer import load_onnx as load_onnx
from footfall.methods.network.multilayer import save_onnx as save_onnx
